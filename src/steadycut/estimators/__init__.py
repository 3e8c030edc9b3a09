"""The scikit-learn estimators: studies behind ``fit`` and ``predict``. No mathematics here.

====================  ==================================================================
``base``              parameters and decisions that both estimators share
``stable_threshold``  `StableThreshold`: a cut-off on given patient scores
``classifier``        `StableThresholdClassifier`: a scorer of instances and its cut-off
``decider``           decisions about patients by a fitted scorer and a cut-off
``deployed``          `DeployedClassifier`: a fitted scorer and its frozen rule, without patients
``patient_scorer``    scikit-learn's scorers, with one decision per patient
``onnx_model``        scorer, aggregator and cut-off as one ONNX model
``inputs``            checks of classes, patients and seeds
``cross_fit``         patient scores from models that have not seen the patient
``learn``             all steps of the classifier
``refit``             bootstrap replicates in which the scorer is fitted again
``workers``           replicates in processes
``threads``           one thread per model
``fingerprint``       what a checkpoint of refits depends on
====================  ==================================================================
"""

from steadycut.io.packages import optional_package

with optional_package("StableThreshold", "scikit-learn", "sklearn"):
    from steadycut.estimators.classifier import StableThresholdClassifier
    from steadycut.estimators.decider import PatientDecisions
    from steadycut.estimators.deployed import DeployedClassifier
    from steadycut.estimators.patient_scorer import patient_scorer
    from steadycut.estimators.stable_threshold import StableThreshold

__all__ = [
    "DeployedClassifier",
    "PatientDecisions",
    "StableThreshold",
    "StableThresholdClassifier",
    "patient_scorer",
]
