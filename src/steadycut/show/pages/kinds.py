"""Which page each kind of document has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.covariate import CovariateStudyDocument
from steadycut.documents.monitor import DecisionMonitor, MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import schema_of
from steadycut.documents.strata import StrataStudyDocument
from steadycut.documents.study import StudyDocument
from steadycut.documents.switch import SwitchDocument
from steadycut.errors import BadOption
from steadycut.show.pages.adaptation import adaptation_page
from steadycut.show.pages.audit import audit_page, decision_audit_page
from steadycut.show.pages.comparison import comparison_page
from steadycut.show.pages.covariate import covariate_page
from steadycut.show.pages.monitor import monitor_page
from steadycut.show.pages.page import Page
from steadycut.show.pages.plan import plan_page
from steadycut.show.pages.strata import strata_page
from steadycut.show.pages.study import study_page
from steadycut.show.pages.switch import switch_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of document with a page, and the name of the page without an ending."""

    document: type[Part]
    page: Callable[..., Page]
    name: str


KINDS = {
    schema_of(document): Kind(document=document, page=page, name=name)
    for document, page, name in (
        (StudyDocument, study_page, "report"),
        (AuditDocument, audit_page, "audit"),
        (DecisionAudit, decision_audit_page, "audit"),
        (StrataStudyDocument, strata_page, "strata"),
        (CovariateStudyDocument, covariate_page, "covariate"),
        (MonitorDocument, monitor_page, "monitor"),
        (DecisionMonitor, monitor_page, "monitor"),
        (ComparisonDocument, comparison_page, "compare"),
        (PlanDocument, plan_page, "plan"),
        (AdaptationDocument, adaptation_page, "adapt"),
        (SwitchDocument, switch_page, "switch"),
    )
}


def page_of(document: Part, *more: Part) -> Page:
    """Return the page of a document; that of a study may take a comparison as well."""
    return KINDS[schema_of(type(document))].page(document, *more)


def kind_of(content: Mapping[str, object]) -> Kind:
    """Return the kind of document that the content of a file is, if it has a page."""
    schema = content.get("schema")
    if schema not in KINDS:
        msg = f"a page can be made of the schemas {', '.join(KINDS)}; got {schema!r}."
        raise BadOption(msg)
    return KINDS[str(schema)]
