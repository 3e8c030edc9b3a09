"""Resampled patients, and what the same rule chooses on them.

======================  =============================================================
``resampling``          counts between the cuts -> counts of resampled patients
``within_groups``       the same, with a fixed number of patients per group
``refined_resampling``  the same for very many cuts, in detail only where it matters
``draws``               the threshold that the rule chooses in each replicate; the radius
======================  =============================================================
"""
