"""Plain content as the document that it stands for."""

from steadycut.documents.reading import read_document
from steadycut.show.pages.kinds import kind_of


def document(content):
    """Read plain content, such as that of `tests.show.figures.samples`."""
    return read_document(kind_of(content).document, content)
