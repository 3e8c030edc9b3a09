"""What the app can do: each work is a command, with the words and the files of its pages."""

from dataclasses import dataclass

from steadycut.core.checks import store

RULE, STUDY, LIST = "rule.json", "study.json", "worklist.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One command, and what the pages say about it.

    ``title`` is what a button to it says, ``made`` what its result is called, ``start`` the button
    that starts it. ``results`` are the files that it writes, its page first; ``out`` is where the
    command line would write them. Both follow from the command unless they are given.
    """

    command: str
    title: str
    made: str
    about: str
    start: str
    out: str = ""
    results: tuple[str, ...] = ()
    takes_rule: bool = False
    takes_tables: bool = True

    def __post_init__(self) -> None:
        store(self, "out", self.out or self.command)
        named = f"{self.command}.html", f"{self.command}.json"
        store(self, "results", self.results or named)

    @property
    def page(self) -> str | None:
        """The name of its page, if it has one."""
        return next((name for name in self.results if name.endswith(".html")), None)


WORKS = {
    work.command: work
    for work in (
        Work(
            command="fit",
            title="Choose a cut-off",
            made="Study of",
            about="Columns are guessed by their names: please confirm them.",
            start="Choose and certify the cut-off",
            out="study",
            results=("report.html", RULE, STUDY),
        ),
        Work(
            command="compare",
            title="Compare ways to choose",
            made="Comparison on",
            about="Each way chooses a cut-off at some sites, and is tested at others.",
            start="Compare",
        ),
        Work(
            command="audit",
            title="Audit elsewhere",
            made="Audit on",
            about="Does the rule work at another hospital? The rule knows its columns.",
            start="Audit the rule",
            takes_rule=True,
        ),
        Work(
            command="adapt",
            title="Adapt to this hospital",
            made="Rule adapted on",
            about=(
                "Another cut-off for the patients of one hospital. Say which share of them is ill, "
                "or pick a column of labels, empty for patients without one. A filled-in list of "
                "patients to label is given with the table."
            ),
            start="Adapt the cut-off",
            results=("adapt.html", RULE, "adapt.json", LIST),
            takes_rule=True,
        ),
        Work(
            command="apply",
            title="Decide for patients",
            made="Decisions on",
            about="One decision per patient, in a table to download. No labels are needed.",
            start="Decide for every patient",
            out="decisions.csv",
            results=("decisions.csv",),
            takes_rule=True,
        ),
        Work(
            command="monitor",
            title="Watch in use",
            made="Watch on",
            about=(
                "Patients in the order of their arrival. You may look again after every patient: "
                "a false alarm stays rare."
            ),
            start="Watch the rule",
            takes_rule=True,
        ),
        Work(
            command="plan",
            title="Plan the number of patients",
            made="Plan",
            about=(
                "How many patients do you need? Or what can a given number of patients show? Say "
                "how often the test will probably be wrong, and fill in one of the two fields "
                "after it."
            ),
            start="Make the plan",
            takes_tables=False,
        ),
    )
}
# Ways to start from a table, and ways to use a rule.
FROM_TABLES = tuple(work for work in WORKS.values() if work.takes_tables and not work.takes_rule)
FROM_RULE = tuple(work for work in WORKS.values() if work.takes_rule)
