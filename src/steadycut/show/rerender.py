"""A page once more, from the content of a JSON file that a command wrote."""

from collections.abc import Callable, Mapping
from typing import Any

from steadycut.core.checks import check_choice
from steadycut.documents.audit import SCHEMA as AUDIT_SCHEMA
from steadycut.documents.strata_study import SCHEMA as STRATA_SCHEMA
from steadycut.documents.study import SCHEMA as STUDY_SCHEMA
from steadycut.errors import BadOption
from steadycut.show.html import render_page
from steadycut.show.markdown import markdown
from steadycut.show.page import Page
from steadycut.show.pages import audit_page, study_page
from steadycut.show.sections.strata import strata_page

Content = Mapping[str, Any]

# The page of each kind of file, and the name that its command gives it.
PAGES: dict[str, tuple[Callable[..., Page], str]] = {
    STUDY_SCHEMA: (study_page, "report"),
    AUDIT_SCHEMA: (audit_page, "audit"),
    STRATA_SCHEMA: (strata_page, "strata"),
}
ENDINGS = {"html": ".html", "md": ".md", "pdf-ready": "-print.html"}


def render_again(content: Content, form: str = "html", comparison: Content | None = None) -> str:
    """Return the page of a study, an audit or risk strata.

    Parameters
    ----------
    content
        The content of ``study.json``, ``audit.json`` or ``strata-study.json``.
    form
        ``"html"``: the very bytes that the command wrote. ``"md"``: Markdown, without figures.
        ``"pdf-ready"``: HTML without what paper cannot do, for any program that prints.
    comparison
        The content of ``compare.json``, for a further table of a study.
    """
    check_choice("format", form, tuple(ENDINGS))
    make = PAGES[kind_of(content)][0]
    if comparison is not None and make is not study_page:
        msg = "only the page of a study takes a comparison. Leave --compare away."
        raise BadOption(msg)
    page = make(content) if comparison is None else make(content, comparison)
    if form == "md":
        return markdown(page)
    return render_page(page, printed=form == "pdf-ready")


def kind_of(content: Content) -> str:
    """Return the schema of a content, if it has a page."""
    schema = content.get("schema")
    if schema not in PAGES:
        msg = f"a page can be made of the schemas {', '.join(PAGES)}; got {schema!r}."
        raise BadOption(msg)
    return str(schema)


def page_name(content: Content, form: str) -> str:
    """Return the name of the file of a page."""
    return PAGES[kind_of(content)][1] + ENDINGS[form]
