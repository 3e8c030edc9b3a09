"""Plain content as the document that it stands for."""

from steadycut.documents.reading import read_document
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.render.html import render_page


def document(content):
    """Read plain content, such as that of `tests.show.figures.samples`."""
    return read_document(kind_of(content).document, content)


def render_document(one, *more):
    """Return the page of a document as HTML."""
    return render_page(page_of(one, *more))
