"""The story of the demo: the title of each step, its command, and what came of it in one line."""

from collections.abc import Callable
from shlex import quote
from typing import Any, NamedTuple

from steadycut.core.rounding import of_hundred, of_hundred_at_most
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import LabelledCutOffAudit
from steadycut.documents.parts import Part
from steadycut.documents.study import StudyDocument
from steadycut.show.words.audit import capital
from steadycut.show.words.monitor import verdict_text
from steadycut.show.words.numbers import cut

COLUMNS = (
    "--patient patient --score score --label tumour --level slide:max --aggregate mean "
    "--aggregate max --aggregate quantile:0.9 --site hospital --internal A --remember-patients"
)


def certified_line(document: StudyDocument | AdaptationDocument) -> str:
    """Say how often a cut-off was wrong, and at most is."""
    certificate = document.certificate
    assert certificate is not None  # noqa: S101
    patients, limit = certificate.n_patients, of_hundred_at_most(certificate.value)
    return (
        f"Cut-off {cut(document.threshold)}: wrong in {of_hundred(certificate.risk)} ({patients} "
        f"patients), at most {limit.split()[0]} (90 %); without a test "
        f"{100 * certificate.trivial_risk:.0f}."
    )


def audited_line(audit: LabelledCutOffAudit) -> str:
    """Say the decision of an audit, and how often the rule is wrong and calls."""
    decision, before = audit.verdict.decision.upper(), 100 * audit.risk_internal
    return (
        f"{decision}: wrong in {of_hundred(audit.risk_external)} (before {before:.0f}), calls "
        f"{of_hundred(audit.call_rate)} (before {100 * audit.call_rate_internal:.0f}); "
        f"{audit.n_patients} patients."
    )


# The page of each command, and its line.
PAGES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "fit": ("report.html", certified_line),
    "audit": ("audit.html", audited_line),
    "adapt": ("adapt.html", certified_line),
    "monitor": ("monitor.html", lambda document: capital(verdict_text(document))),
}


class Step(NamedTuple):
    """A step of the story: where its results go, its title, and its command."""

    key: str
    title: str
    command: str

    def typed(self, folder: str) -> str:
        """Return the command as it can be typed, with its files in a folder."""
        return f"steadycut {self.command} --out OUT/{self.key}".replace("OUT", quote(folder))

    @property
    def page(self) -> str:
        """The name of its page."""
        return PAGES[self.command.split()[0]][0]

    def line(self, document: Part) -> str:
        """Say in one line what came of it."""
        return PAGES[self.command.split()[0]][1](document)


LATER = "OUT/adapted_b/rule.json OUT/hospital_b_later.csv"
STORY = (
    Step(".", "Choose at A", f"fit OUT/two_hospitals.csv {COLUMNS}"),
    Step("audit_b", "Audit at B", "audit OUT/rule.json OUT/hospital_b.csv --missing drop"),
    Step("adapted_b", "Adapt to B", "adapt OUT/rule.json OUT/hospital_b.csv"),
    Step("audit_b_later", "Audit on others", f"audit {LATER}"),
    Step("watch_b", "Watch at B", f"monitor {LATER} --order day"),
    Step("audit_c", "Audit at C", "audit OUT/rule.json OUT/hospital_c.csv"),
)
