"""Cut-offs that depend on a covariate.

============  =====================================================================
``fitted``    the cut-offs and everything found on the way, as plain data
``describe``  what is written about them, and the frozen file
``fit``       the whole flow: patients with a covariate -> a study
============  =====================================================================
"""
