"""The rules that the app knows: those of its studies, and those that were uploaded."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from steadycut.app.jobs import Job
from steadycut.app.works import RULE
from steadycut.core.rounding import who_is_called
from steadycut.documents.kinds import load_frozen
from steadycut.show.pages.page import Status
from steadycut.show.sections.verdict import STATUS
from steadycut.show.words.numbers import cut
from steadycut.show.words.sentences import quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRule:
    """A rule to pick: the job that holds it, its cut-off, and the verdict of its last audit."""

    job: Job
    cut_off: str
    verdict: Status | None

    @property
    def name(self) -> str:
        """What the rule is called."""
        title = self.job.title
        return title if self.job.result(RULE) else f"Rule used in {quoted(title)}"


def known_rules(jobs: Iterable[Job]) -> list[KnownRule]:
    """Return each different rule once, with its last verdict; the newest rule comes first."""
    holders: dict[bytes, Job] = {}
    verdicts: dict[bytes, Status] = {}
    for job in jobs:
        if (path := job.rule) is not None:
            written = path.read_bytes()
            holders.setdefault(written, job)
            if job.kind == "audit" and job.state == "done":
                verdicts[written] = STATUS[json.loads(job.numbers())["verdict"]["decision"]]
    rules = [
        KnownRule(job=job, cut_off=cut_off_of(path), verdict=verdicts.get(written))
        for written, job in holders.items()
        if (path := job.rule) is not None
    ]
    return rules[::-1]


def cut_off_of(path: Path) -> str:
    """Say in a few words where a rule draws the line."""
    rule = load_frozen(path)
    score, cuts = quoted(rule.document.columns.score), ", ".join(map(cut, rule.cut_offs))
    if rule.attributes:
        return f"Cut-offs on {score} by {', '.join(map(quoted, rule.attributes))}"
    if rule.cut_off is not None:
        who = who_is_called(rule.cut_off, rule.document.direction)
        return f"Calls {who}, whatever {score} is" if who else f"Cut-off {cuts} on {score}"
    if cuts:
        return f"Boundaries {cuts} on {score}"
    return f"Decides by {score}: {' or '.join(rule.actions)}"
