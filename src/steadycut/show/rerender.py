"""Make a page again, from the content of a JSON file that a command wrote."""

from collections.abc import Callable, Mapping

from steadycut.core.checks import check_choice
from steadycut.documents.audit import AuditDocument, DecisionAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import Part
from steadycut.documents.reading import read_document, schema_of
from steadycut.documents.strata_study import StrataStudyDocument
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption, argument
from steadycut.show.html import render_page
from steadycut.show.markdown import markdown
from steadycut.show.page import Page
from steadycut.show.pages import audit_page, study_page
from steadycut.show.sections.decisions import decision_page
from steadycut.show.sections.strata import strata_page

Content = Mapping[str, object]

# The kinds of documents with a page, the page, and the name that its command gives it.
KINDS: tuple[tuple[type[Part], Callable[..., Page], str], ...] = (
    (StudyDocument, study_page, "report"),
    (AuditDocument, audit_page, "audit"),
    (DecisionAudit, decision_page, "audit"),
    (StrataStudyDocument, strata_page, "strata"),
)
PAGES = {schema_of(kind): (kind, make, name) for kind, make, name in KINDS}
ENDINGS = {"html": ".html", "md": ".md", "pdf-ready": "-print.html"}


def render_again(
    content: Content, form: str = "html", comparison: Content | None = None, name: str = "the file"
) -> str:
    """Return the page of a study, an audit or risk strata.

    Parameters
    ----------
    content
        The content of ``study.json``, ``audit.json`` or ``strata-study.json``.
    form
        ``"html"``: the very bytes that the command wrote. ``"md"``: Markdown, without figures.
        ``"pdf-ready"``: HTML without what paper cannot do, for any program that prints.
    comparison
        The content of ``compare.json``, for a further section of a study.
    name
        What errors call the file.
    """
    check_choice("form", form, tuple(ENDINGS))
    kind, make, _ = PAGES[known_schema(content)]
    more = []
    if comparison is not None:
        if kind is not StudyDocument:
            msg = f"only the page of a study takes a comparison. Leave out {argument('compare')}."
            raise BadOption(msg)
        more = [read_document(ComparisonDocument, comparison, "the file of --compare")]
    page = make(read_document(kind, content, name), *more)
    if form == "md":
        return markdown(page)
    return render_page(page, printed=form == "pdf-ready")


def known_schema(content: Content) -> str:
    """Return the schema of a content, if it has a page."""
    schema = content.get("schema")
    if schema not in PAGES:
        msg = f"a page can be made of the schemas {', '.join(PAGES)}; got {schema!r}."
        raise BadOption(msg)
    return str(schema)


def page_name(content: Content, form: str) -> str:
    """Return the name of the file of a page."""
    return PAGES[known_schema(content)][2] + ENDINGS[form]
