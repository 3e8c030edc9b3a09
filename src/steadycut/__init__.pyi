# The public names, for type checkers; `__init__` loads each of them when it is first used.

from steadycut._version import __version__ as __version__
from steadycut.adaptation.adapt import Adaptation as Adaptation
from steadycut.adaptation.adapt import adapt as adapt
from steadycut.adaptation.switch import Switch as Switch
from steadycut.adaptation.switch import switch as switch
from steadycut.core.certify import Certificate as Certificate
from steadycut.core.certify import certify as certify
from steadycut.core.records import PatientScores as PatientScores
from steadycut.documents.covariate import CovariateRule as CovariateRule
from steadycut.documents.guards import check_deployment as check_deployment
from steadycut.documents.rule import FrozenRule as FrozenRule
from steadycut.documents.strata import StrataRule as StrataRule
from steadycut.errors import DataWarning as DataWarning
from steadycut.errors import ExperimentalWarning as ExperimentalWarning
from steadycut.errors import FewPatientsWarning as FewPatientsWarning
from steadycut.errors import ForcedWarning as ForcedWarning
from steadycut.errors import RowsAsPatientsWarning as RowsAsPatientsWarning
from steadycut.errors import SteadycutError as SteadycutError
from steadycut.errors import SteadycutWarning as SteadycutWarning
from steadycut.errors import UnstableCutWarning as UnstableCutWarning
from steadycut.estimators import StableThreshold as StableThreshold
from steadycut.estimators import StableThresholdClassifier as StableThresholdClassifier
from steadycut.ingest import aggregate as aggregate
from steadycut.show import figures
from steadycut.study.audit import audit as audit
from steadycut.study.audited import Audit as Audit
from steadycut.study.compare import Comparison as Comparison
from steadycut.study.compare import compare as compare
from steadycut.study.covariate import CovariateStudy as CovariateStudy
from steadycut.study.covariate import fit_by_covariate as fit_by_covariate
from steadycut.study.fit import Study as Study
from steadycut.study.fit import fit as fit
from steadycut.study.monitor import Monitor as Monitor
from steadycut.study.monitor import monitor as monitor
from steadycut.study.operating_point import OperatingPoint as OperatingPoint
from steadycut.study.operating_point import operating_point as operating_point
from steadycut.study.options import paper_method as paper_method
from steadycut.study.plan import Plan as Plan
from steadycut.study.plan import plan as plan
from steadycut.study.strata import StrataStudy as StrataStudy
from steadycut.study.strata import fit_strata as fit_strata

displays = figures
