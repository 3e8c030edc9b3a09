"""Make a page again, from the content of a JSON file that a command wrote."""

from collections.abc import Mapping

from steadycut.core.checks import check_choice
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.reading import read_document
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption, argument
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.render.html import render_page
from steadycut.show.render.markdown import markdown

Content = Mapping[str, object]

ENDINGS = {"html": ".html", "md": ".md", "pdf-ready": "-print.html"}


def render_again(
    content: Content, form: str = "html", comparison: Content | None = None, name: str = "the file"
) -> str:
    """Return the page of a document.

    Parameters
    ----------
    content
        The content of a JSON file that a command wrote, such as ``study.json``.
    form
        ``"html"``: the very bytes that the command wrote. ``"md"``: Markdown, without figures.
        ``"pdf-ready"``: HTML without what paper cannot do, for any program that prints.
    comparison
        The content of ``compare.json``, for a further section of a study.
    name
        What errors call the file.
    """
    check_choice("form", form, tuple(ENDINGS))
    kind = kind_of(content)
    more = []
    if comparison is not None:
        if kind.document is not StudyDocument:
            msg = f"only the page of a study takes a comparison. Leave out {argument('compare')}."
            raise BadOption(msg)
        more = [read_document(ComparisonDocument, comparison, "the file of --compare")]
    page = page_of(read_document(kind.document, content, name), *more)
    if form == "md":
        return markdown(page)
    return render_page(page, printed=form == "pdf-ready")


def page_name(content: Content, form: str) -> str:
    """Return the name of the file of a page."""
    return kind_of(content).name + ENDINGS[form]
