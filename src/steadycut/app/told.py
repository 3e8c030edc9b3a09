"""What a result says, and what to do next with it."""

import json

from steadycut.app.jobs import Job
from steadycut.app.words import FIRST_AUDIT, in_words
from steadycut.app.works import FROM_RULE, FROM_TABLES, WORKS, Work
from steadycut.documents.applied import AppliedDocument
from steadycut.documents.reading import read_document
from steadycut.show.pages.applied import applied_page
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.pages.page import Page

# Where the page of a result has no sentence of its own for the app.
NEXT = {"fit": FIRST_AUDIT}
# What a next step may speak of, and what that is here.
SPOKEN = {
    "label more": "audit",
    "label some": "audit",
    "choose a cut-off": "fit",
    **{f"“{work.title}”".casefold(): command for command, work in WORKS.items()},
}
OTHERWISE = {"audit": "monitor", "monitor": "monitor"}


def told(job: Job) -> Page:
    """Return the page that tells the result of a job."""
    content = json.loads(job.numbers())
    if "schema" in content:
        return page_of(read_document(kind_of(content).document, content))
    named = {name: content[name] for name in AppliedDocument.model_fields if name in content}
    return applied_page(AppliedDocument(**named), content.get("next_step", ""))


def next_step(job: Job, page: Page) -> tuple[str, str]:
    """Return the work that a result calls for, and what to do now in the words of the app."""
    sentence = NEXT.get(job.kind) or in_words(page.next_step)
    spoken = sentence.casefold()
    found = {spoken.index(words): work for words, work in SPOKEN.items() if words in spoken}
    return found[min(found)] if found else OTHERWISE.get(job.kind, "fit"), sentence


def works_after(job: Job) -> list[Work]:
    """Return everything that can be done with the rule and the tables of a job."""
    more = () if job.kind == "plan" else (WORKS["plan"],)
    return [*(FROM_RULE if job.rule else ()), *FROM_TABLES, *more]
