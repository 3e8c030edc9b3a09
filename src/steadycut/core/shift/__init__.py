"""What differs between two hospitals, with and without labels.

==================  =================================================================
``parts``           the change of risk, split into parts with intervals; distances
``tipping``         how much may change before the risk exceeds a limit
``label_shift``     the prevalence at a hospital without labels, and whether only it has changed
``rescale``         scores on another scale, and the cut-off that follows
==================  =================================================================
"""
