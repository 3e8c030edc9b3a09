"""The scikit-learn edge: studies behind ``fit`` and ``predict``. No mathematics here."""

try:
    from steadycut.estimators.classifier import PatientDecisions, StableThresholdClassifier
    from steadycut.estimators.stable_threshold import StableThreshold
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    from steadycut.errors import MissingPackage

    msg = (
        "StableThreshold and StableThresholdClassifier require scikit-learn. "
        'Install it with pip install "steadycut[sklearn]".'
    )
    raise MissingPackage(msg) from None

__all__ = ["PatientDecisions", "StableThreshold", "StableThresholdClassifier"]
