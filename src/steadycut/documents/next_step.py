"""What to do next, as a record: a verb, why, and the arguments.

`steadycut.show.words.next_step` spells it for the command line, for Python, for pages and for the
app.
"""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.core.verdict import Question
from steadycut.documents import parts

Verb = Literal["monitor", "audit", "adapt", "fit", "plan", "label", "draw", "check", "wait", "stop"]
# The situation that calls for a step. Each has its sentence in `steadycut.show.words.next_step`.
Why = Literal[
    "good",
    "groups fail",
    "still useful",
    "costs or prevalence",
    "unlike before",
    "unknown fate",
    "one class",
    "group undecidable",
    "group open",
    "open",
    "undecidable",
    "no labels",
    "unit",
    "bad by plan",
    "hidden stratum",
    "open by plan",
    "alarm",
    "certify more",
    "within already",
    "too close",
    "watch on",
    "decisions",
    "decisions not useful",
    "decisions unlike",
]
# How to get a cut-off for one hospital: adapt this one, or choose another.
Local = Literal["adapt", "fit"]


class GroupName(parts.Part):
    """A site or a subgroup."""

    column: str
    value: str


class LabelsNeeded(parts.Part):
    """How many more labels answer a question; ``refutes`` says that the answer would be no."""

    question: Question
    more: int
    refutes: bool = False


class NextStep(parts.Part):
    """What to do next.

    ``verb`` is what to do, ``why`` the situation that calls for it. ``file_name`` is the usual name
    of the frozen file. ``local`` is how to get a cut-off for one hospital. ``groups`` are those
    that it is about. ``labels`` say how many more patients answer each question, ``stays_open``
    names questions that no number of them answers. ``answers`` are the questions that
    ``n_patients`` answer; None for all. ``error`` is the chance of an error at each look,
    ``margin`` how precisely ``n_patients`` show how often it is wrong. ``few_before`` says that too
    few patients were used to check before, ``graded`` that there are more than two grades or
    decisions, ``survival`` that the rule names columns of a follow-up. ``first`` is what a watch
    does before all else.
    """

    verb: Verb
    why: Why
    file_name: str | None = None
    local: Local | None = None
    groups: list[GroupName] | None = None
    labels: list[LabelsNeeded] | None = None
    stays_open: list[Question] | None = None
    answers: list[Question] | None = None
    n_patients: int | None = None
    n_unknown: int | None = None
    stratum: str | None = None
    margin: FiniteFloat | None = None
    error: FiniteFloat | None = None
    few_before: bool | None = None
    graded: bool | None = None
    survival: bool | None = None
    first: Literal["go on", "check scores"] | None = None
