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

# What a result calls for, with the sentence that says so. A sentence of an audit is its own.
NEXT = {
    "fit": ("audit", FIRST_AUDIT),
    "apply": ("monitor", "Next: watch the rule while it is used."),
    "compare": ("fit", "Next: choose the cut-off in one of these ways, and freeze it."),
    "plan": ("fit", "Next: choose the cut-off when you have these patients."),
    "monitor good": ("monitor", "Next: look again when more patients have come."),
    "monitor bad": ("audit", "Next: find out what has changed before you use the rule further."),
}
# What the next step of an audit may speak of, and what that is here; otherwise it is used.
AFTER_AUDIT = {"choose a cut-off": "fit", "label more": "audit", "label some": "audit"}


def told(job: Job) -> Page:
    """Return the page that tells the result of a job."""
    content = json.loads(job.numbers())
    if "schema" in content:
        return page_of(read_document(kind_of(content).document, content))
    named = {name: content[name] for name in AppliedDocument.model_fields if name in content}
    return applied_page(AppliedDocument(**named))


def next_step(job: Job, page: Page) -> tuple[str, str]:
    """Return the work that a result calls for, and what to do now in the words of the app."""
    if job.kind == "audit":
        found = (work for words, work in AFTER_AUDIT.items() if words in page.next_step)
        return next(found, "monitor"), in_words(page.next_step)
    work, sentence = NEXT[f"monitor {page.status.tone}" if job.kind == "monitor" else job.kind]
    more = page.next_step if job.kind == "plan" else ""
    return work, f"{more} {sentence}".strip()


def works_after(job: Job) -> list[Work]:
    """Return everything that can be done with the rule and the tables of a job."""
    more = () if job.kind == "plan" else (WORKS["plan"],)
    return [*(FROM_RULE if job.rule else ()), *FROM_TABLES, *more]
