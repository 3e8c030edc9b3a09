"""Confidence intervals of the cut-off and of what it does.

==================  =================================================================
``rates``           sensitivity, predictive values, kappa, ... at the fixed cut-off
``repeated_study``  the same if another study of this size chose the cut-off again
``threshold``       the cut-off itself
``paired``          the difference of two rules on the same patients
``auc``             the area under the ROC curve
``calibration``     intercept and slope of a score that is a probability
==================  =================================================================
"""
