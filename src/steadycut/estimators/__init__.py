"""The scikit-learn edge: studies behind ``fit`` and ``predict``. No mathematics here."""

from steadycut.io.packages import optional_package

with optional_package(
    "Using StableThreshold or StableThresholdClassifier", "scikit-learn", "sklearn"
):
    from steadycut.estimators.classifier import PatientDecisions, StableThresholdClassifier
    from steadycut.estimators.stable_threshold import StableThreshold

__all__ = ["PatientDecisions", "StableThreshold", "StableThresholdClassifier"]
