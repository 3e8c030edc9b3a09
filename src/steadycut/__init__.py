"""Choose one patient-level cut-off, bound how often it errs, and check it at the next hospital.

>>> import steadycut
>>> scores, labels = [0.1, 0.3, 0.2, 0.8, 0.7, 0.9], [0, 0, 0, 1, 1, 1]
>>> cohort = steadycut.PatientScores(scores=scores, labels=labels)
>>> study = steadycut.fit(cohort, honesty="uniform", rule="erm", grid="exact", bound="dkw")
>>> study.threshold, study.operating_value
(0.5, 0.7)

The folders, in the order in which they may import each other:

===============  =====================================================================
``errors``       everything that steadycut can refuse
``core``         the mathematics: numpy and scipy only
``io``           files, checkpoints, progress, optional packages
``ingest``       any table -> one score per patient
``documents``    the files that are written and read back, as typed records
``study``        the flow: fit, describe, freeze, compare, audit, monitor
``adaptation``   the cut-off for the next hospital, new versions, change control
``show``         pages and figures, as HTML, Markdown and on the terminal
``displays``     the figures, under a short name
``datasets``     simulated cohorts to try
``estimators``   the flow as scikit-learn estimators
``pipelines``    slides and ECG records -> tables of scores
``app``          the local page
``cli``          the commands
``rule_reader``  one standalone file that decides by a frozen file
===============  =====================================================================
"""

from steadycut._version import __version__

# Without typing, which takes longer to import than all the rest here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from steadycut.adaptation.adapt import Adaptation, adapt
    from steadycut.adaptation.switch import Switch, switch
    from steadycut.core.certify import Certificate, certify
    from steadycut.core.records import PatientScores
    from steadycut.documents.covariate import CovariateRule
    from steadycut.documents.guards import check_deployment
    from steadycut.documents.rule import FrozenRule
    from steadycut.documents.strata import StrataRule
    from steadycut.errors import (
        DataWarning,
        FewPatientsWarning,
        ForcedWarning,
        RowsAsPatientsWarning,
        SteadycutError,
        SteadycutWarning,
        UnstableCutWarning,
    )
    from steadycut.estimators import StableThreshold, StableThresholdClassifier
    from steadycut.ingest import aggregate
    from steadycut.show import figures
    from steadycut.study.audit import audit
    from steadycut.study.audited import Audit
    from steadycut.study.compare import Comparison, compare
    from steadycut.study.covariate.fit import fit_by_covariate
    from steadycut.study.covariate.fitted import CovariateStudy
    from steadycut.study.fit import Study, fit
    from steadycut.study.labels.draw import LabelDraw, draw_labels
    from steadycut.study.monitor import Monitor, monitor
    from steadycut.study.operating_point import OperatingPoint, operating_point
    from steadycut.study.options import paper_method
    from steadycut.study.plan import Plan, plan
    from steadycut.study.strata.fit import fit_strata
    from steadycut.study.strata.fitted import StrataStudy

    displays = figures

# Each name is loaded when it is first used. So `import steadycut` is fast, nobody needs an
# optional package for what they do not use, and a command loads only what it needs. A name that
# stands nowhere here is one of `errors`.
_PLACES = {
    "core.certify": ("Certificate", "certify"),
    "core.records": ("PatientScores",),
    "documents.covariate": ("CovariateRule",),
    "documents.guards": ("check_deployment",),
    "documents.rule": ("FrozenRule",),
    "documents.strata": ("StrataRule",),
    "estimators": ("StableThreshold", "StableThresholdClassifier"),
    "ingest": ("aggregate",),
    "adaptation.adapt": ("Adaptation", "adapt"),
    "study.labels.draw": ("LabelDraw", "draw_labels"),
    "adaptation.switch": ("Switch", "switch"),
    "study.audit": ("audit",),
    "study.audited": ("Audit",),
    "study.compare": ("Comparison", "compare"),
    "study.covariate.fit": ("fit_by_covariate",),
    "study.covariate.fitted": ("CovariateStudy",),
    "study.fit": ("Study", "fit"),
    "study.monitor": ("Monitor", "monitor"),
    "study.operating_point": ("OperatingPoint", "operating_point"),
    "study.options": ("paper_method",),
    "study.plan": ("Plan", "plan"),
    "study.strata.fit": ("fit_strata",),
    "study.strata.fitted": ("StrataStudy",),
}
# Whole modules: the figures, and what objects show of themselves in a notebook.
_MODULES = {"displays": "steadycut.displays", "notebook": "steadycut.show.render.notebook"}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Adaptation",
    "Audit",
    "Certificate",
    "Comparison",
    "CovariateRule",
    "CovariateStudy",
    "DataWarning",
    "FewPatientsWarning",
    "ForcedWarning",
    "FrozenRule",
    "LabelDraw",
    "Monitor",
    "OperatingPoint",
    "PatientScores",
    "Plan",
    "RowsAsPatientsWarning",
    "StableThreshold",
    "StableThresholdClassifier",
    "SteadycutError",
    "SteadycutWarning",
    "StrataRule",
    "StrataStudy",
    "Study",
    "Switch",
    "UnstableCutWarning",
    "__version__",
    "adapt",
    "aggregate",
    "audit",
    "certify",
    "check_deployment",
    "compare",
    "draw_labels",
    "fit",
    "fit_by_covariate",
    "fit_strata",
    "monitor",
    "operating_point",
    "paper_method",
    "plan",
    "switch",
]


def __getattr__(name: str) -> object:
    # Here, because a command would not be ready for Ctrl-C while it is imported.
    from importlib import import_module

    if name in __all__:
        return getattr(import_module(f"steadycut.{_MODULE_OF.get(name, 'errors')}"), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    msg = f"module 'steadycut' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
