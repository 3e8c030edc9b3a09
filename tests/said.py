"""What pages say about a result: the verdict, each answer, and what to do next."""

from types import SimpleNamespace

from steadycut.documents.monitor import MonitorBase
from steadycut.documents.parts import Part
from steadycut.documents.reading import described, read_document
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.words import audit, monitor


def said(source):
    """Return the sentences about a result, its document, or the content of its file."""
    document = described(source)
    if not isinstance(document, Part):
        document = read_document(kind_of(document).document, document)
    words = monitor.verdict_text if isinstance(document, MonitorBase) else audit.overall_text
    questions = getattr(document, "questions", [])
    return SimpleNamespace(
        next_step=page_of(document).next_step,
        verdict=words(document) if hasattr(document, "verdict") or questions == [] else "",
        questions=[audit.question_text(document, part) for part in questions],
    )
