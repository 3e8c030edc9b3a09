"""What to do next, as a record: a verb, why, and the arguments.

`steadycut.show.words.next_step` spells it for the command line, for Python, for pages and for the
app.
"""

from typing import Literal

from pydantic import FiniteFloat

from steadycut.core.verdict import Question
from steadycut.documents import parts

Verb = Literal["monitor", "audit", "adapt", "fit", "plan", "label", "check", "wait", "stop"]
# How to get a cut-off for one hospital: adapt this one, or choose another.
Local = Literal["adapt", "fit"]
# The situations that call for a step. Each has its sentence in `steadycut.show.words.next_step`.
Bad = Literal["groups fail", "still useful", "costs or prevalence", "unlike before"]
Open = Literal["unknown fate", "one class", "one score", "open", "undecidable", "no labels"]
Unlike = Literal["unit", "own patients"]
Watch = Literal["alarm", "certify more", "within already", "too close", "watch on"]
Decided = Literal["good", "watch", "decisions", "decisions not useful", "decisions unlike"]
Adapted = Literal["adapted: no labels", "adapted: open", "adapted: refuted", "adapted: certified"]
Changed = Literal["change accepted", "change open", "change failed"]
Switched = Literal[
    "switch: same scores", "switch: same", "switch: open", "switch: changed", "switch: fit"
]
Why = Literal[Bad, Open, Unlike, Watch, Decided, Adapted, Changed, Switched]
# What is used while no change is accepted under a change-control plan.
Otherwise = Literal["original", "call-everybody", "stop"]


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
    that it is about. ``labels`` say how many more patients answer each question. ``error`` is the
    chance of an error at each look. ``graded`` says that there are more than two grades or
    decisions, ``survival`` that the rule names columns of a follow-up, ``looks_again`` that limits
    hold at every look. ``goal`` is what more labels are for; without ``n_patients`` it is out of
    reach.
    ``otherwise`` is used while no change is accepted. ``first`` is what a watch does before all
    else.
    """

    verb: Verb
    why: Why
    file_name: str | None = None
    local: Local | None = None
    groups: list[GroupName] | None = None
    labels: list[LabelsNeeded] | None = None
    n_patients: int | None = None
    n_unknown: int | None = None
    error: FiniteFloat | None = None
    graded: bool | None = None
    survival: bool | None = None
    goal: Literal["target", "useful"] | None = None
    looks_again: bool | None = None
    otherwise: Otherwise | None = None
    first: Literal["go on", "check scores"] | None = None
