"""What pages say about a result: the verdict, the numbers behind it, and what to do next."""

from types import SimpleNamespace

from steadycut.documents.audit import AuditDocument
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.reading import described, read_document
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.words import audit, monitor


def said(source):
    """Return the sentences about a result, its document, or the content of its file."""
    document = described(source)
    if not isinstance(document, Part):
        document = read_document(kind_of(document).document, document)
    page = page_of(document)
    verdict = " ".join(page.headline)
    if isinstance(document, AuditDocument):
        verdict = audit.overall_text(document)
    elif isinstance(document, MonitorDocument):
        verdict = monitor.verdict_text(document)
    rows = dict(audit.rows_of(document)) if isinstance(document, AuditDocument) else {}
    marks = [mark.text for mark in page.marks]
    return SimpleNamespace(next_step=page.next_step, verdict=verdict, rows=rows, marks=marks)
