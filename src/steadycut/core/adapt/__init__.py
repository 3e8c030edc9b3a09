"""The cut-off for the next hospital: without labels, with few, and one label at a time.

=============  ==========================================================================
``pool``       scores of the first hospital by class, of the next one without labels
``refit``      the rule fitted again for the next hospital, from a stated prevalence and labels
``menu``       a few cut-offs with weights, fixed before any label is seen; whom to label next,
               and how many; the choice among them by all labels, with exact limits
``switch``     decisions about the same patients by two versions
``control``    changes under a plan: attempts that spend one error probability
=============  ==========================================================================
"""
