"""What a result says, and what to do next with it."""

import json

from steadycut.app.jobs import Job
from steadycut.app.works import FROM_RULE, FROM_TABLES, LIST, WORKS, Work
from steadycut.documents.applied import AppliedDocument
from steadycut.documents.next_step import NextStep
from steadycut.documents.reading import read_document
from steadycut.show.pages.adaptation import WORKLIST, worklist_page
from steadycut.show.pages.applied import applied_page
from steadycut.show.pages.kinds import kind_of, page_of
from steadycut.show.pages.page import Page
from steadycut.show.words.fields import option_in_words, title_of
from steadycut.show.words.next_step import Spelling, Step, step_of

FIRST_AUDIT = (
    f"Next: check it on patients of another hospital, with “{WORKS['audit'].title}” below."
)
FILL_IN = Step(
    verb="adapt",
    sentence=(
        f"Next: fill in the column label of {LIST}, and upload it below with "
        f"“{WORKS['adapt'].title}”."
    ),
)
# What a next step names, in the words of the app.
EVERY_LOOK = f"“{title_of('sequential')}”"
ADAPT = ("prevalence", "labels", "same", "list")
CALLS = {
    **{command: f"“{work.title}”" for command, work in WORKS.items()},
    "audit_labels": f"“{WORKS['audit'].title}”",
    **dict.fromkeys(("adapt_labels", "adapt_same", "adapt_list"), f"“{WORKS['adapt'].title}”"),
    "watch": f"“{WORKS['monitor'].title}”",
    "audit_sequential": f"“{WORKS['audit'].title}” with {EVERY_LOOK}",
    "fit_sites": f"“{WORKS['fit'].title}” with “{title_of('site')}”",
    "with_labels": f"“{title_of('label')}”",
    "sequential": EVERY_LOOK,
}
APP = Spelling(calls=CALLS, option=option_in_words)
# The work that each verb calls for, where it is another one.
WORK_OF = {"label": "audit", "check": "audit", "wait": "audit", "stop": "fit"}


def told(job: Job) -> Page:
    """Return the page that tells the result of a job."""
    content = json.loads(job.numbers())
    if content.get("schema") == WORKLIST:
        return worklist_page(content["certify"], content["choose"], FILL_IN)
    if "schema" in content:
        return page_of(read_document(kind_of(content).document, content))
    named = {name: content[name] for name in AppliedDocument.model_fields if name in content}
    step = NextStep(**content["next_step"])
    return applied_page(AppliedDocument(**named), step_of(step))


def next_step(job: Job, page: Page) -> tuple[str, str]:
    """Return the work that a result calls for, and what to do now in the words of the app."""
    step = page.step
    if step is None:
        return "fit", ""
    work = WORK_OF.get(step.verb, step.verb)
    if job.kind == "fit" and work == "audit":
        return work, FIRST_AUDIT
    return work, step.spelled(APP)


def works_after(job: Job) -> list[Work]:
    """Return everything that can be done with the rule and the tables of a job."""
    more = () if job.kind == "plan" else (WORKS["plan"],)
    return [*(FROM_RULE if job.rule else ()), *FROM_TABLES, *more]
