"""What a result says, and what to do next with it."""

import json

from steadycut.app.jobs import Job
from steadycut.app.words import FIRST_AUDIT, in_words
from steadycut.app.works import FROM_RULE, FROM_TABLES, WORKS, Work
from steadycut.documents.applied import AppliedDocument
from steadycut.documents.reading import read_document
from steadycut.show.applied import applied_page
from steadycut.show.page import Page
from steadycut.show.pages.kinds import kind_of, page_of

# After an audit or a watch, by the tone of the result.
AFTER = {
    "audit": {"good": "monitor", "open": "audit", "bad": "fit"},
    "monitor": {"good": "monitor", "bad": "audit"},
}
NEXT = {"fit": "audit", "apply": "monitor", "compare": "fit", "plan": "fit"}


def told(job: Job) -> Page:
    """Return the page that tells the result of a job."""
    content = json.loads(job.numbers())
    if "schema" in content:
        return page_of(read_document(kind_of(content).document, content))
    named = {name: content[name] for name in AppliedDocument.model_fields}
    return applied_page(read_document(AppliedDocument, named))


def next_step(job: Job, page: Page) -> str:
    """Return what to do now, in the words of the app."""
    return FIRST_AUDIT if job.kind == "fit" else in_words(page.next_step)


def next_work(job: Job, page: Page) -> str:
    """Return the work that a result calls for."""
    return AFTER[job.kind][page.status.tone] if job.kind in AFTER else NEXT[job.kind]


def works_after(job: Job) -> list[Work]:
    """Return everything that can be done with the rule and the tables of a job."""
    more = () if job.kind == "plan" else (WORKS["plan"],)
    return [*(FROM_RULE if job.rule else ()), *FROM_TABLES, *more]
