"""Cut-offs by covariate.

``fitted``: the cut-offs and everything found on the way, as data. ``describe``: what is written
about them, and the frozen file. ``fit``: the whole flow.
"""
