"""The cut-off for the next hospital: without labels, with few, and one label at a time.

=============  ==========================================================================
``home``       what a rule knows of the first hospital: quantiles of the scores by class
``pool``       unlabelled patients of the next hospital, and the cut-offs between them
``told``       where the first hospital would cut at another prevalence
``mix``        how far to follow that, and how far to stay with the frozen cut-off
``menu``       a few cut-offs with weights, fixed before any label is seen
``labels``     the choice among them and exact limits, from all labels at once
``worklist``   whom to label next
``sampling``   whom to label if labels are scarce, and limits from such labels
``switch``     decisions about the same patients by two versions
``control``    changes under a plan: attempts that spend one error probability
``plan``       how many labels a certificate takes
=============  ==========================================================================
"""
