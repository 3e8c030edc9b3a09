"""Which page each kind of document has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from steadycut import _kinds
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument, CutOffAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.kinds import class_of
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import schema_of
from steadycut.documents.switch import SwitchDocument
from steadycut.errors import BadOption
from steadycut.show.pages.page import Page
from steadycut.show.pages.rule import any_study_page

# What is not the study of a kind: the document, the module of its page, and the name of the page.
OTHERS = (
    (CutOffAudit, "audit", "audit"),
    (AuditDocument, "audit", "audit"),
    (MonitorDocument, "monitor", "monitor"),
    (ComparisonDocument, "comparison", "compare"),
    (PlanDocument, "plan", "plan"),
    (AdaptationDocument, "adaptation", "adapt"),
    (SwitchDocument, "switch", "switch"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of document with a page, and the name of the page without an ending."""

    document: type[Part]
    module: str | None
    name: str

    @property
    def page(self) -> Callable[..., Page]:
        """What makes the page of a document."""
        if self.module is None:
            return any_study_page
        place = import_module(f"steadycut.show.pages.{self.module}")
        page: Callable[..., Page] = getattr(place, f"{self.module}_page")
        return page


def kinds() -> dict[str, Kind]:
    """Return every kind of document with a page, by its schema."""
    studies = ((class_of(kind.study), kind.page, kind.page_name) for kind in _kinds.KINDS)
    return {
        schema_of(document): Kind(document=document, module=module, name=name)
        for document, module, name in (*studies, *OTHERS)
    }


def page_of(document: Part, *more: Part) -> Page:
    """Return the page of a document; that of a study may take a comparison as well."""
    return kinds()[schema_of(type(document))].page(document, *more)


def kind_of(content: Mapping[str, object]) -> Kind:
    """Return the kind of document that the content of a file is, if it has a page."""
    schema, known = content.get("schema"), kinds()
    if schema not in known:
        msg = f"a page can be made of the schemas {', '.join(known)}; got {schema!r}."
        raise BadOption(msg)
    return known[str(schema)]
