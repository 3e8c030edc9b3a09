"""Cut-offs that depend on a covariate.

==================  =================================================================
``design``          the covariate -> groups, or windows of a number, and patients counted by it
``one_cut_test``    the test whether one cut-off is enough
``cuts``            one cut per window, pulled towards the common cut
``rule``            the cuts as a rule: a score and a covariate -> a decision
==================  =================================================================
"""
