"""Which page each kind of document has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from steadycut import _kinds
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.kinds import study_class
from steadycut.documents.monitor import DecisionMonitor, MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import schema_of
from steadycut.documents.switch import SwitchDocument
from steadycut.errors import BadOption
from steadycut.show.pages.adaptation import adaptation_page
from steadycut.show.pages.audit import audit_page, decision_audit_page
from steadycut.show.pages.comparison import comparison_page
from steadycut.show.pages.monitor import monitor_page
from steadycut.show.pages.page import Page
from steadycut.show.pages.plan import plan_page
from steadycut.show.pages.rule import any_study_page
from steadycut.show.pages.switch import switch_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of document with a page, and the name of the page without an ending."""

    document: type[Part]
    page: Callable[..., Page]
    name: str


def study_kind(kind: _kinds.Kind) -> Kind:
    """Return the page of the studies of a kind of frozen file."""
    page: Callable[..., Page] = any_study_page
    if kind.page is not None:
        page = getattr(import_module(f"steadycut.show.pages.{kind.page}"), f"{kind.page}_page")
    return Kind(document=study_class(kind), page=page, name=kind.page_name)


# What is not the study of a kind.
OTHERS = {
    schema_of(document): Kind(document=document, page=page, name=name)
    for document, page, name in (
        (AuditDocument, audit_page, "audit"),
        (DecisionAudit, decision_audit_page, "audit"),
        (MonitorDocument, monitor_page, "monitor"),
        (DecisionMonitor, monitor_page, "monitor"),
        (ComparisonDocument, comparison_page, "compare"),
        (PlanDocument, plan_page, "plan"),
        (AdaptationDocument, adaptation_page, "adapt"),
        (SwitchDocument, switch_page, "switch"),
    )
}


def kinds() -> dict[str, Kind]:
    """Return every document with a page, by its schema."""
    studies = map(study_kind, _kinds.KINDS)
    return {**{schema_of(one.document): one for one in studies}, **OTHERS}


def page_of(document: Part, *more: Part) -> Page:
    """Return the page of a document; that of a study may take a comparison as well."""
    return kinds()[schema_of(type(document))].page(document, *more)


def kind_of(content: Mapping[str, object]) -> Kind:
    """Return the kind of document that the content of a file is, if it has a page."""
    schema = content.get("schema")
    known = kinds()
    if schema not in known:
        msg = f"a page can be made of the schemas {', '.join(known)}; got {schema!r}."
        raise BadOption(msg)
    return known[str(schema)]
