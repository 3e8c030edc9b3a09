"""One patient-level cut-off that still works at the next hospital, with a certificate.

>>> import steadycut
>>> scores, labels = [0.1, 0.3, 0.2, 0.8, 0.7, 0.9], [0, 0, 0, 1, 1, 1]
>>> cohort = steadycut.PatientScores(scores=scores, labels=labels)
>>> study = steadycut.fit(cohort, honesty="uniform", rule="erm", grid="exact", bound="dkw")
>>> study.threshold, study.operating_value
(0.5, 0.7)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from steadycut._version import __version__
from steadycut.core.certify import Certificate, certify
from steadycut.core.records import PatientScores
from steadycut.documents.guards import check_deployment
from steadycut.study.audit import Audit, audit
from steadycut.study.compare import Comparison, compare
from steadycut.study.covariate import CovariateStudy, fit_by_covariate
from steadycut.study.fit import Study, fit
from steadycut.study.monitor import Monitor, monitor
from steadycut.study.operating_point import OperatingPoint, operating_point
from steadycut.study.plan import Plan, plan
from steadycut.study.strata import StrataStudy, fit_strata

if TYPE_CHECKING:
    from steadycut.documents.covariate import CovariateRule
    from steadycut.documents.rule import FrozenRule
    from steadycut.documents.strata import StrataRule
    from steadycut.estimators import StableThreshold, StableThresholdClassifier
    from steadycut.ingest import aggregate

# Names whose files need an optional package are loaded when they are first used.
_LAZY = {
    "CovariateRule": "steadycut.documents.covariate",
    "FrozenRule": "steadycut.documents.rule",
    "StableThreshold": "steadycut.estimators",
    "StableThresholdClassifier": "steadycut.estimators",
    "StrataRule": "steadycut.documents.strata",
    "aggregate": "steadycut.ingest",
}

__all__ = [
    "Audit",
    "Certificate",
    "Comparison",
    "CovariateRule",
    "CovariateStudy",
    "FrozenRule",
    "Monitor",
    "OperatingPoint",
    "PatientScores",
    "Plan",
    "StableThreshold",
    "StableThresholdClassifier",
    "StrataRule",
    "StrataStudy",
    "Study",
    "__version__",
    "aggregate",
    "audit",
    "certify",
    "check_deployment",
    "compare",
    "fit",
    "fit_by_covariate",
    "fit_strata",
    "monitor",
    "operating_point",
    "plan",
]


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    msg = f"module 'steadycut' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
