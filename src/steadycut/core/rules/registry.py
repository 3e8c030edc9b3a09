"""All rules by name.

A rule takes the misses and alarms at every cut, for one cohort or for many replicates at once. For
each of them it returns how many patients lie below the chosen cut. Most rules take the best cut by
a criterion (``criteria``). ``stable`` lies between a mean of all cuts and a logistic regression on
ranks.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, shown
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors, count_to_left, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.best_criterion import Best, Limit, criterion_near, criterion_of
from steadycut.core.rules.criteria import CRITERIA, FAMILIES, Criterion
from steadycut.core.rules.kernel_youden import KernelYouden
from steadycut.core.rules.logistic import Logistic
from steadycut.core.rules.next_site import parse_next_site
from steadycut.core.rules.peers import PEERS
from steadycut.core.rules.pruning import Sizes, Stretch, near_best, without_repeats
from steadycut.core.rules.score_rules import NearestScore, mean_score, prevalence_as_score
from steadycut.core.rules.stable import Stable
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.errors import BadOption, argument, did_you_mean

Objective = Callable[[Curve, Costs], FloatArray]
# A user's rule: takes four arrays of counts along the cuts, returns the value to maximise.
Counted = Callable[..., object]


class Rule(Protocol):
    """The interface of every rule."""

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        ...


@runtime_checkable
class Spaced(Rule, Protocol):
    """A rule that needs to know where the thresholds lie, and not only their order."""

    def on_cuts(self, cuts: Cuts) -> Rule:
        """Return the same rule along the thresholds of ``cuts``."""
        ...


def on_cuts(rule: Rule, cuts: Cuts) -> Rule:
    """Return the rule, after telling it where the thresholds lie if it needs to know."""
    return rule.on_cuts(cuts) if isinstance(rule, Spaced) else rule


def chosen_cut(cuts: Cuts, rule: Rule, costs: Costs, curve: Curve | None = None) -> float:
    """Return the threshold that a rule chooses among some cuts, whose ``curve`` may be known.

    Examples
    --------
    >>> from steadycut.core.cuts.grid import exact_cuts
    >>> from steadycut.core.records import PatientScores
    >>> cohort = PatientScores(scores=[1, 2, 4, 5], labels=[0, 0, 1, 1])
    >>> chosen_cut(exact_cuts(cohort), parse_rule("erm"), Costs())
    3.0
    """
    curve = curve or count_errors(cuts.cells[None, :])
    return float(cuts.place(*choose(curve, on_cuts(rule, cuts), costs))[0])


def choose(curve: Curve, rule: Rule, costs: Costs) -> tuple[IntArray, IntArray]:
    """Return the first and the last of the cuts that a rule chooses in each row of a curve."""
    start, near = near_best(curve, rule, costs)
    distinct = without_repeats(near) if isinstance(near, Stretch) else near
    first, last = cuts_at_rank(near.ranks, rule(distinct, costs))
    return start + first, start + last


@dataclass(frozen=True, slots=True)
class Minimise:
    """The cut that minimises an objective. Ties are broken by the widest flat stretch."""

    objective: Objective

    def __call__(self, curve: Curve, costs: Costs) -> IntArray:
        """Return the number of patients below the chosen cut of each curve."""
        tie = TIE * costs.largest
        return middle_of_widest_flat(self.objective(curve, costs), curve.ranks, tie)

    def reach(self, smallest: FloatArray, sizes: Sizes, costs: Costs) -> FloatArray:
        """Return how much more a cut may cost and still tie; infinite for other objectives."""
        if self.objective is not risk_at_cuts:
            return np.full(smallest.shape, np.inf)
        # Twice the tie, so that rounding cannot exclude a cut that ties.
        return smallest * TIE + 2 * TIE * costs.largest * (sizes[0] + sizes[1])


def youden_loss(curve: Curve, costs: Costs) -> FloatArray:
    """Return 1 - J = miss rate + alarm rate at every cut, times the larger cost.

    The costs do not weight the two rates. The factor makes ties as wide as those of a risk.
    """
    miss_rate = curve.misses / np.maximum(curve.n_positive, 1)
    return costs.largest * (miss_rate + curve.alarms / np.maximum(curve.n_negative, 1))


def cuts_at_rank(ranks: IntArray, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last cut of each row with ``rank`` patients below."""
    return count_to_left(ranks, rank), count_to_left(ranks, rank, "right") - 1


ERM = Minimise(risk_at_cuts)

PLAIN_RULES: dict[str, Rule] = {
    "stable": Stable(),
    "erm": ERM,
    "logistic": Logistic(),
    "youden": Minimise(youden_loss),
    "youden-kernel": KernelYouden(),
    "mean-score": NearestScore(mean_score),
    "prevalence-score": NearestScore(prevalence_as_score),
}
# Criteria whose value a rule can ask to reach, or to come near to.
LIMITED = tuple(name for name, one in CRITERIA.items() if one.limit)
NEAR = "-near"
# On their own they would call everybody, or nobody: who wants that says so.
NEEDS_VALUE = ("sensitivity", "specificity")
LARGEST = "max-"
# Meaning of the rules that are not a criterion of the counts.
OTHER_RULES = {
    "stable": "between a mean of all cuts and a logistic regression on ranks: the default",
    "logistic": "logistic regression on the score, cut at the risk cost_fp / (cost_fn + cost_fp)",
    "youden-kernel": "largest J of kernel estimates of both classes",
    "mean-score": "smallest score called nearest to the mean score",
    "prevalence-score": "smallest score called nearest to the prevalence",
}
AT_NEXT_SITE = "mean sensitivity, or specificity, of at least X at the next of several sites"
CONSTRAINED = "best by RULE among the cuts with NAME at least X; @NAME:X can be repeated"
WITHIN = "nearest to stable among the cuts with NAME at least X (call-rate: at most X)"


def rule_table() -> list[tuple[str, str, str]]:
    """Return every rule: its name, its meaning, and its name in R.

    X stands for a number. OC is OptimalCutpoints, cp is cutpointr.
    """
    meanings = {
        **OTHER_RULES,
        **{_typed(name): criterion.meaning for name, criterion in CRITERIA.items()},
        **{f"{name}:X": criterion.meaning for name, criterion in FAMILIES.items()},
    }
    for name in LIMITED:
        criterion = CRITERIA[name]
        bound = "at most" if criterion.sign < 0 else "at least"
        meanings[f"{name}:X"] = f"{name} {bound} X, then largest {criterion.partner}"
        meanings[f"{name}{NEAR}:X"] = f"{name} as near to X as can be"
    meanings["RULE@NAME:X"] = CONSTRAINED
    meanings["stable@NAME:X"] = WITHIN
    meanings["sensitivity:X@next-site"] = AT_NEXT_SITE
    return [(name, meaning, PEERS.get(name, "")) for name, meaning in meanings.items()]


def rule_names() -> list[str]:
    """Return the names of all rules, with X in place of a number."""
    return [name for name, _, _ in rule_table()]


def parse_rule(rule: str | Counted) -> Rule:
    """Return the rule with a name such as ``stable``, ``ppv:0.9`` or ``f1@npv:0.9``.

    A function ``(tp, fn, fp, tn) -> value to maximise`` is also accepted as a rule, and a rule that
    was built elsewhere and knows where the thresholds lie.

    Examples
    --------
    >>> rule = parse_rule("kappa@sensitivity:0.9")
    >>> [goal.name for goal in rule.goals], rule.wanted
    (['kappa'], 'sensitivity >= 0.9')
    """
    if isinstance(rule, str):
        return PLAIN_RULES.get(rule) or parse_next_site(rule) or _best(rule)
    if isinstance(rule, Spaced):
        return rule
    if callable(rule):
        return Best((criterion_of(rule),))
    raise _unknown(rule)


def most_called(name: str) -> float | None:
    """Return the largest share called that a rule allows by its name; None without such a limit.

    Examples
    --------
    >>> most_called("stable@call-rate:0.12"), most_called("call-rate:0.2"), most_called("youden")
    (0.12, 0.2, None)
    """
    shares = re.findall(r"(?:^|@)call-rate:([^@]+)", name)
    return min(map(float, shares)) if shares else None


def criteria_of(rule: Rule) -> tuple[Criterion, ...]:
    """Return the criteria that a rule optimises or limits; none if it does not use criteria."""
    if isinstance(rule, Best):
        wanted = (*(limit.criterion for limit in rule.limits), *rule.goals)
        return tuple({criterion.name: criterion for criterion in wanted}.values())
    return tuple(CRITERIA[name] for name in ("erm", "youden") if rule is PLAIN_RULES[name])


def _best(text: str) -> Best:
    goal, *limits = text.split("@")
    name, _, number = goal.partition(":")
    if text in NEEDS_VALUE:
        raise BadOption(
            f"{argument('rule')} {text!r} needs a value: {text}:0.9 asks for at least 0.9, "
            f"{LARGEST}{text} for the largest."
        )
    if goal == "stable":
        return Best((), tuple(_limit(limit, text) for limit in limits), Stable())
    if name in LIMITED and number:
        # Such as at least 0.9 of one rate, and then the best value of its partner.
        best, limits = _goals(str(CRITERIA[name].partner), text), [goal, *limits]
    else:
        best = _goals(goal, text)
    return Best(best, tuple(_limit(limit, text) for limit in limits))


def _goals(goal: str, text: str) -> tuple[Criterion, ...]:
    name, _, number = goal.partition(":")
    if name in FAMILIES:
        return (FAMILIES[name].member(name, _number(number, text)),)
    plain = name.removesuffix(NEAR)
    if name != plain and plain in LIMITED:
        wanted = _limit(f"{plain}:{number}", text)
        return (criterion_near(wanted.criterion, wanted.value), *_partner(wanted.criterion))
    if (bare := goal.removeprefix(LARGEST)) in NEEDS_VALUE:
        goal = bare
    if goal not in CRITERIA:
        raise _unknown(text)
    return (CRITERIA[goal], *_partner(CRITERIA[goal]))


def _typed(name: str) -> str:
    return f"{LARGEST}{name}" if name in NEEDS_VALUE else name


def _partner(criterion: Criterion) -> tuple[Criterion, ...]:
    return (CRITERIA[criterion.partner],) if criterion.partner else ()


def _limit(limit: str, text: str) -> Limit:
    name, _, number = limit.partition(":")
    if name not in CRITERIA:
        raise _unknown(text)
    criterion, value = CRITERIA[name], _number(number, text)
    return Limit(criterion, criterion.check(f"the {name} of the rule", value))


def _number(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise _unknown(text) from None


def _unknown(rule: object) -> BadOption:
    return BadOption(
        f"{argument('rule')} must be one of stable, erm, youden, sensitivity:X and others "
        f"(`steadycut rules` lists all), or in Python a function of the counts; got {shown(rule)}."
        f"{did_you_mean(rule, rule_names())}"
    )
