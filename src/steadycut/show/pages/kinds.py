"""Which page each kind of document has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module

from steadycut import _kinds
from steadycut._kinds import file_name_of
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument, CutOffAudit
from steadycut.documents.canonical_json import frozen_bytes, json_text
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.kinds import class_of
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.plan import PlanDocument
from steadycut.documents.reading import schema_of
from steadycut.documents.switch import SwitchDocument
from steadycut.errors import BadOption
from steadycut.show.pages.page import File, Page
from steadycut.show.pages.rule import any_study_page
from steadycut.show.words.next_step import step_of

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
# Files that are not called after their schema.
NAMES = {schema_of(AdaptationDocument): "adapt.json"}


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
    return _by_schema(tuple((kind.study, kind.page, kind.page_name) for kind in _kinds.KINDS))


@cache
def _by_schema(known: tuple[tuple[str, str | None, str], ...]) -> dict[str, Kind]:
    studies = ((class_of(place), module, name) for place, module, name in known)
    return {
        schema_of(document): Kind(document=document, module=module, name=name)
        for document, module, name in (*studies, *OTHERS)
    }


def page_of(document: Part, *more: Part) -> Page:
    """Return the page of a document; that of a study may take a comparison as well.

    Every page has the warnings of its document, its next step if it names one, and its files.
    """
    kind = next(kind for kind in kinds().values() if isinstance(document, kind.document))
    page = kind.page(document, *more)
    # Studies of cut-offs and strata keep their warnings in a part.
    holder = getattr(document, "stability", document)
    warnings = tuple(getattr(holder, "warnings", ()))
    following = getattr(document, "next_step", None)
    step = page.step if following is None else step_of(following)
    return replace(page, name=kind.name, warnings=warnings, step=step, files=files_of(document))


def files_of(document: Part) -> tuple[File, ...]:
    """Return the document as a file, and the frozen rule that it holds, byte for byte."""
    plain, frozen = document.to_plain(), getattr(document, "frozen_rule", None)
    name, text = NAMES.get(plain["schema"]) or file_name_of(plain["schema"]), json_text(plain)
    files = [File(key="content", name=name, meaning="every number of this page", text=text)]
    if frozen is not None:
        meaning = "the frozen rule: versions, seed, fingerprint of the data, to take along"
        content = frozen.to_plain()
        text, made = frozen_bytes(content).decode(), file_name_of(content["schema"])
        files.append(File(key="rule", name=made, meaning=meaning, text=text))
    return tuple(files)


def kind_of(content: Mapping[str, object]) -> Kind:
    """Return the kind of document that the content of a file is, if it has a page."""
    schema, known = content.get("schema"), kinds()
    if schema not in known:
        raise BadOption(f"a page can be made of the schemas {', '.join(known)}; got {schema!r}.")
    return known[str(schema)]
