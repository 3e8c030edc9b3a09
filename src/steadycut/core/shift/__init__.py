"""What differs between two hospitals, with and without labels.

==================  =================================================================
``parts``           the change of risk, split into prevalence and class shapes, with intervals
``distances``       how far apart the hospitals are at all cut-offs together
``tipping``         how much may change before the risk exceeds a limit
``label_shift``     the prevalence at a hospital without labels
``shape_test``      whether only the prevalence can have changed
``rescale``         scores on another scale, and the cut-off that follows
==================  =================================================================
"""
