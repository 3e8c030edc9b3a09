"""Cut-offs that depend on a covariate.

============  =====================================================================
``fitted``    the cut-offs and everything found on the way, described and frozen
``fit``       the whole flow: patients with a covariate -> a study
============  =====================================================================
"""
