"""Plain content as the document that it stands for."""

from steadycut.documents.audit import AuditDocument
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.covariate_study import CovariateStudyDocument
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import read_document, schema_of
from steadycut.documents.strata_study import StrataStudyDocument
from steadycut.documents.study import StudyDocument

KINDS = (
    AuditDocument,
    ComparisonDocument,
    CovariateStudyDocument,
    MonitorDocument,
    PlanDocument,
    StrataStudyDocument,
    StudyDocument,
)


def document(content):
    """Read plain content, such as that of `tests.show.figures.samples`."""
    kind = next(kind for kind in KINDS if schema_of(kind) == content["schema"])
    return read_document(kind, content)
