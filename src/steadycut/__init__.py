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
from steadycut.audit import Audit, audit
from steadycut.compare import Comparison, compare
from steadycut.core.certify import Certificate, certify
from steadycut.core.records import PatientScores
from steadycut.covariate import CovariateStudy, fit_by_covariate
from steadycut.guards import check_deployment
from steadycut.monitoring import Monitor, monitor
from steadycut.operating import OperatingPoint, operating_point
from steadycut.planning import Plan, plan
from steadycut.strata import StrataStudy, fit_strata
from steadycut.study import Study, fit

if TYPE_CHECKING:
    from steadycut.covariate_file import CovariateRule
    from steadycut.estimators import StableThreshold, StableThresholdClassifier
    from steadycut.ingest import aggregate
    from steadycut.rule_file import FrozenRule
    from steadycut.strata_file import StrataRule

# Names whose files need an optional package are loaded when they are first used.
_LAZY = {
    "CovariateRule": "steadycut.covariate_file",
    "FrozenRule": "steadycut.rule_file",
    "StableThreshold": "steadycut.estimators",
    "StableThresholdClassifier": "steadycut.estimators",
    "StrataRule": "steadycut.strata_file",
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
