"""What labels that a plan drew say about the rule: limits, the verdict, and what to do next."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.adapt.sampling import Labelled, counted, strata_of
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.checks import BoolArray, IntArray
from steadycut.core.records import PatientScores
from steadycut.core.verdict import QUESTIONS, REFUSED, Answer, Verdict, worst_answer
from steadycut.documents import audit
from steadycut.documents.change_plan import LabelPlan
from steadycut.documents.next_step import NextStep, Why
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, Warned
from steadycut.study.labels.draw import hidden_warnings, patient_coins


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sampled:
    """The drawn patients and their labels.

    ``worst`` counts each drawn patient without a label as an error, ``best`` as right, and ``seen``
    leaves them out.
    """

    rule: FrozenRule
    plan: LabelPlan
    worst: Labelled
    best: Labelled
    seen: Labelled
    ignored: int
    margin: float

    @property
    def delta(self) -> float:
        """The failure probability of the rule's certificate."""
        return self.rule.certificate.delta

    @property
    def unlabelled(self) -> int:
        """How many drawn patients have no label."""
        return self.worst.n_drawn - self.seen.n_drawn

    @property
    def hidden_strata(self) -> list[str]:
        """The strata whose patients are never labelled, if they have any."""
        pairs = zip(self.plan.strata, self.worst.sizes, strict=True)
        return [one.name for one, patients in pairs if patients and not one.chance]

    def warnings(self) -> list[str]:
        """Say what the labels do not tell."""
        grown = self.worst.n_patients - sum(one.patients for one in self.plan.strata)
        texts = {
            Warned.of("labels")(
                f"{self.ignored} labelled patients were not drawn by the plan; their labels are "
                "ignored."
            ): self.ignored,
            Warned.of("labels")(
                f"{self.unlabelled} drawn patients have no label. In upper limits each of them "
                "counts as an error, in lower limits as right. Estimates leave them out."
            ): self.unlabelled,
            Warned.of("labels")(
                f"{grown} patients came after the plan was made; they have coins too."
            ): grown,
            Warned.of("labels")(
                f"the plan was drawn with the seed {self.plan.seed}, not with 0. If plans of "
                "several seeds were labelled and the best is shown, the limits do not hold."
            ): self.plan.seed,
        }
        return [*(text for text, seen in texts.items() if seen), *hidden_warnings(self.plan)]

    # The verdict ---------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """Answer the three questions by limits; a "yes" is wrong with probability delta at most.

        All tests for "no" share delta, so that any "no" is wrong with probability delta at most.
        """
        levels = self.delta, self.delta / len(QUESTIONS)
        return Verdict(
            useful=self._useful(*levels),
            as_before=self._as_before(*levels),
            within_certificate=self._within(*levels),
        )

    def _useful(self, level: float, against: float) -> Answer:
        """Compare with calling nobody, where the called count, and with calling everybody."""
        costs, best, worst = self.rule.costs, self.best, self.worst
        if costs.target is not None:
            ends = costs.class_weights
            part = against / (4 * len(ends))
            highest = worst.highest_miss(level / 2), worst.highest_alarm(level / 2)
            lowest = best.lowest_miss(part), best.lowest_alarm(part)
            limits = [
                zip(_saved(*end, *highest), _saved(*end, *lowest), strict=True) for end in ends
            ]
            return worst_answer(_sign(low, high) for pairs in limits for low, high in pairs)
        miss, alarm = costs.cost_fn, costs.cost_fp
        # Against calling nobody: ill patients who are called save, healthy ones cost.
        low = miss * worst.called(worst.ill, level / 2)[0]
        low -= alarm * worst.called(worst.healthy, level / 2)[1]
        high = miss * best.called(best.ill, against / 4)[1]
        high -= alarm * best.called(best.healthy, against / 4)[0]
        # Against calling everybody: healthy patients who are not called save, ill ones cost.
        low_two = alarm * worst.below(worst.healthy, level / 2)[0]
        low_two -= miss * worst.below(worst.ill, level / 2)[1]
        high_two = alarm * best.below(best.healthy, against / 4)[1]
        high_two -= miss * best.below(best.ill, against / 4)[0]
        return worst_answer([_sign(low, high), _sign(low_two, high_two)])

    @property
    def _limits(self) -> dict[str, tuple[Callable[[float], float], Callable[[float], float]]]:
        """The upper and the lower limit of the errors against each rate, at a level."""
        return {
            "sensitivity": (self.worst.highest_miss, self.best.lowest_miss),
            "specificity": (self.worst.highest_alarm, self.best.lowest_alarm),
        }

    def _as_before(self, level: float, against: float) -> Answer:
        """Say whether the cost is higher than before at any prevalence: both error rates are."""
        home, n_choices = self.rule.document.reference.confusion, self.rule.certificate.n_choices
        answers: set[Answer] = {"cannot tell"} if self.rule.rounded else set()
        before = (home.fn, home.n_positive), (home.fp, home.n_negative)
        for (wrong, n), (highest, lowest) in zip(before, self._limits.values(), strict=True):
            least = rate_interval(wrong, n, level, n_choices)[0]
            most = rate_interval(wrong, n, against / 2, n_choices)[1]
            lower, higher = highest(level / 2) <= least, lowest(against / 4) > most
            answers.add("yes" if n and lower else "no" if n and higher else "cannot tell")
        return answers.pop() if len(answers) == 1 else "cannot tell"

    def _within(self, level: float, against: float) -> Answer:
        """Compare the cost with the certified limit, and certified rates with their limits."""
        certificate, rates = self.rule.certificate, self.rule.certified_rates
        part, costs = against / (1 + len(rates)), self.rule.costs
        within = self.worst.highest_cost(costs, level) <= certificate.value
        above = self.best.lowest_cost(costs, part) > certificate.value
        within = within and not certificate.vacuous
        answers: list[Answer] = ["yes" if within else "no" if above else "cannot tell"]
        for name, asked in rates.items():
            highest, lowest = self._limits[name]
            reached = 1 - highest(level) >= asked
            short = 1 - lowest(part) < asked
            answers.append("yes" if reached else "no" if short else "cannot tell")
        return worst_answer(answers)

    # What is written -----------------------------------------------------------------------------

    def describe(self) -> audit.SampledPart:
        """Return what the drawn patients show, as it is written."""
        level, costs = self.delta / 2, self.rule.costs
        worst, best, seen = self.worst, self.best, self.seen
        right = seen.drawn(seen.healthy).estimate
        home = self.rule.document.reference.confusion
        return audit.SampledPart.of(
            self,
            plan_sha256=str(self.plan.sha256),
            level=1 - self.delta,
            strata=[
                audit.SampledStratumPart.of(
                    part,
                    patients=worst.sizes[place],
                    drawn=worst.ill[place] + worst.healthy[place],
                    labelled=seen.ill[place] + seen.healthy[place],
                    ill=seen.ill[place],
                )
                for place, part in enumerate(self.plan.strata)
            ],
            miss=audit.SampledRatePart(
                value=None if seen.n_hidden else seen.drawn(seen.ill).estimate,
                low=best.lowest_miss(level),
                high=worst.highest_miss(level),
            ),
            alarm=audit.SampledRatePart(
                value=None if right is None or seen.n_hidden else 1 - right,
                low=best.lowest_alarm(level),
                high=worst.highest_alarm(level),
            ),
            cost=audit.SampledRatePart(
                value=None if seen.n_hidden else seen.estimated_cost(costs),
                low=best.lowest_cost(costs, self.delta),
                high=worst.highest_cost(costs, self.delta),
            ),
            rates_before=[one for one in (home.miss_rate, home.alarm_rate) if one is not None],
            certified_rates=self._certified_rates(),
            cost_without_score=self._cost_without_score(),
            hidden=self._hidden(level),
        )

    def _certified_rates(self) -> list[audit.ReachedRate]:
        """Return the lower limit of each certified rate."""
        return [
            audit.ReachedRate(rate=name, asked=asked, lower=1 - self._limits[name][0](self.delta))
            for name, asked in self.rule.certified_rates.items()
        ]

    def _cost_without_score(self) -> float | None:
        """Return what calling everybody or nobody would cost, if this can be estimated."""
        seen, costs = self.seen, self.rule.costs
        if seen.n_hidden or not sum(seen.ill) or costs.target is not None:
            return None
        drawn = seen.drawn(seen.ill)
        pairs = zip(drawn.counts, drawn.chances, strict=True)
        ill = min(sum(count / chance for count, chance in pairs) / seen.n_patients, 1.0)
        return min(costs.cost_fn * ill, costs.cost_fp * (1 - ill))

    def _hidden(self, level: float) -> audit.HiddenPart | None:
        """Return what patients of strata without labels may hide; None if there are none."""
        if not self.worst.n_hidden:
            return None
        inside = self.worst.highest_miss(level, 0.0)
        target = min(inside + self.margin, 1.0) if inside < 1 else 1.0
        return audit.HiddenPart(
            strata=self.hidden_strata,
            patients=self.worst.n_hidden,
            miss_if_none=inside,
            miss_target=target,
            most_ill=self.worst.most_hidden(level, target) if target < 1 else 0.0,
        )


def _saved(miss: float, alarm: float, missed: float, alarmed: float) -> tuple[float, float]:
    """Return what is saved against calling nobody, and against calling everybody."""
    return miss * (1 - missed) - alarm * alarmed, alarm * (1 - alarmed) - miss * missed


def _sign(low: float, high: float) -> Answer:
    return "yes" if low > 0 else "no" if high < 0 else "cannot tell"


def sampled(
    rule: FrozenRule,
    plan: LabelPlan,
    patients: PatientScores,
    labels: Mapping[str, int] | ArrayLike | None,
    margin: float,
) -> Sampled:
    """Return the drawn patients with their labels; refuse a plan of another rule or table."""
    if plan.rule != rule.document.sha256:
        raise BadOption(
            "the labelling plan was made for another rule: it names the rule "
            f"{plan.rule[:12]}..., this one is {str(rule.document.sha256)[:12]}.... Give the rule "
            "that it was made for."
        )
    edges = [rule.sign * rule.threshold]
    edges += [] if plan.edge is None else [rule.sign * plan.edge]
    strata = strata_of(rule.sign * patients.scores, edges)
    chances = np.array(plan.chances)
    drawn = patient_coins(patients, plan.seed, rule) < chances[strata]
    _check_same_patients(plan, strata, drawn)
    given = _labels_of(patients, labels)
    _check_labelled(plan, strata, drawn, given)
    called, known = strata == 0, given >= 0
    return Sampled(
        rule=rule,
        plan=plan,
        worst=counted(strata, np.where(known, given == 1, ~called), drawn, plan.chances),
        best=counted(strata, np.where(known, given == 1, called), drawn, plan.chances),
        seen=counted(strata, given == 1, drawn & known, plan.chances),
        ignored=int(np.sum(known & ~drawn)),
        margin=margin,
    )


def _labels_of(patients: PatientScores, labels: Mapping[str, int] | ArrayLike | None) -> IntArray:
    """Return the label of each patient, -1 without one."""
    names = [] if patients.patients is None else patients.patients.tolist()
    if isinstance(labels, Mapping):
        unknown = len(set(labels) - set(names))
        if unknown:
            raise BadPatients(
                f"patients with a label who are not in the table: {unknown}. Give the table that "
                "has them. Did a spreadsheet change identifiers, such as 007 to 7?"
            )
        values = [labels.get(name, -1) for name in names]
    elif labels is not None:
        values = [one if one in {0, 1} else -1 for one in np.asarray(labels).tolist()]
    elif patients.labels is not None:
        values = patients.labels.tolist()
    else:
        values = []
    if len(values) != len(names) or not {*values} <= {-1, 0, 1}:
        raise BadPatients(
            "a labelling plan needs the labels of the drawn patients: a mapping from identifiers "
            "to 0 or 1, or one label per patient, None where it is not known."
        )
    return np.array(values, dtype=np.int64)


def _check_same_patients(plan: LabelPlan, strata: IntArray, drawn: BoolArray) -> None:
    """Refuse a table that lacks patients of the plan, or has others."""
    planned, here = sum(one.patients for one in plan.strata), strata.size
    if here < planned:
        raise BadPatients(
            f"the plan was made for {planned} patients, and the table has {here}. Give the whole "
            "table, with the patients who were not drawn too."
        )
    for place, one in enumerate(plan.strata):
        found = int(np.sum(strata == place)), int(np.sum(drawn & (strata == place)))
        if found[0] < one.patients or (here == planned and found != (one.patients, one.drawn)):
            raise BadPatients(
                f"these are not the patients that the plan was made for: the stratum '{one.name}' "
                f"had {one.patients} patients, {one.drawn} of them drawn; here {found[0]} and "
                f"{found[1]}. Give the same table, with the same scores."
            )


def _check_labelled(plan: LabelPlan, strata: IntArray, drawn: BoolArray, given: IntArray) -> None:
    """Refuse a stratum of which no drawn patient has a label."""
    for place, one in enumerate(plan.strata):
        here = drawn & (strata == place)
        if here.any() and not (given[here] >= 0).any():
            raise BadPatients(
                f"none of the {int(here.sum())} patients drawn from the stratum '{one.name}' has a "
                "label, so that the miss rate cannot be known. Label them, or make a plan that "
                "gives this stratum the probability 0."
            )


# What now ------------------------------------------------------------------------------------


def next_step(found: Sampled, verdict: Verdict) -> NextStep:
    """Return what to do now."""
    name, hidden = found.rule.file_name, found.hidden_strata
    if verdict.decision in {"use", "use and watch"}:
        why: Why = "good" if verdict.decision == "use" else "watch"
        return NextStep(verb="monitor", why=why, file_name=name)
    if verdict.decision in REFUSED:
        return NextStep(verb="adapt", why="bad by plan", file_name=name)
    if hidden:
        return NextStep(verb="draw", why="hidden stratum", file_name=name, stratum=hidden[0])
    return NextStep(verb="draw", why="open by plan", file_name=name, error=found.delta)
