"""Labelling plans: whom to label at the next hospital, and what these labels say about the rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.adapt.sampling import (
    Expected,
    Labelled,
    chances_for,
    coins,
    counted,
    lower_edge,
    strata_of,
)
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.checks import IntArray, check_count, is_real, refuse
from steadycut.core.records import PatientScores
from steadycut.core.rounding import at_least, at_most
from steadycut.core.verdict import (
    QUESTIONS,
    Answer,
    Question,
    Verdict,
    name_in_text,
    worst_answer,
)
from steadycut.documents.audit import (
    HiddenPart,
    QuestionPart,
    SampledPart,
    SampledRatePart,
    SampledStratumPart,
)
from steadycut.documents.change_plan import DrawnStratumPart, LabelPlan, Stratum
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.guards import check_deployment, pass_or_refuse, texts_of
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, argument, warn_each
from steadycut.study.adapt.before import Stated, check_cut_off_rule, check_prevalence, home_scores
from steadycut.study.questions import SHORT, TITLES, Words
from steadycut.study.small_cells import rounded_at_home

NAMES: Final[dict[int, tuple[Stratum, ...]]] = {
    2: ("called", "below"),
    3: ("called", "just below", "far below"),
}
LEAST_STRATA = 2


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelDraw:
    """A labelling plan, and the patients whom it draws.

    ``patients`` are the identifiers of the drawn patients in random order, ``strata`` the name of
    the stratum of each of them. ``expected`` is how many labels the coins give: mean, and the range
    that holds in 95 of 100 plans.
    """

    plan: LabelPlan
    patients: NDArray[np.str_]
    strata: NDArray[np.str_]
    expected: tuple[float, float, float]
    warnings: tuple[str, ...]


def draw_labels(
    rule: FrozenFile[Any],
    patients: PatientScores | Mapping[Any, PatientScores],
    labels: int | None = None,
    *,
    probabilities: Sequence[float] | None = None,
    edge: float | None = None,
    prevalence: Stated = None,
    seed: int = 0,
    force: bool = False,
    key: bytes | None = None,
) -> LabelDraw:
    """Draw the patients to label at a new hospital, with known probabilities by score.

    Parameters
    ----------
    rule
        The frozen rule.
    patients
        All patients of the new hospital, with identifiers. Their labels are not used.
    labels
        About how many patients to label. Three strata are made: called, just below and far below.
        Their probabilities and the lower edge make the variance of the miss rate small, if the
        classes score as at the first hospital.
    probabilities
        Instead of ``labels``: the probability of a label for the called, (just below,) and far
        below. One below the cut-off may be 0.
    edge
        The score between just below and far below. It must not be chosen with the labels.
    prevalence
        The share of ill patients that is expected here. Default: that of the first hospital.
    seed
        Makes the coins, together with the rule and the identifiers.
    force, key
        As in `steadycut.audit`.

    Returns
    -------
    LabelDraw
        ``plan`` is for `steadycut.audit`; ``plan.to_bytes()`` is the content of label_plan.json.

    Examples
    --------
    >>> from steadycut import fit
    >>> rng = np.random.default_rng(0)
    >>> ill = np.repeat([0, 1], 200)
    >>> rule = fit(PatientScores(scores=rng.normal(size=400) + 3 * ill, labels=ill)).freeze()
    >>> ids = [f"p{number}" for number in range(2000)]
    >>> pool = PatientScores(scores=rng.normal(size=2000), patients=ids)
    >>> found = draw_labels(rule, pool, 300, prevalence=0.02)
    >>> [one.name for one in found.plan.strata], abs(found.patients.size - 300) < 60
    (['called', 'just below', 'far below'], True)
    """
    check_cut_off_rule(rule)
    assert isinstance(rule, FrozenRule)  # noqa: S101
    check_count("seed", seed, at_least=0)
    everyone = rule.patients_of(patients) if isinstance(patients, Mapping) else patients
    findings = pass_or_refuse(check_deployment(rule, everyone, key=key), force=force)
    cut, scores = rule.sign * rule.threshold, rule.sign * everyone.scores
    oriented = None if edge is None else rule.sign * _checked_edge(rule, edge)
    stated = check_prevalence(prevalence)
    if (labels is None) == (probabilities is None):
        msg = (
            f"a labelling plan needs {argument('draw', 400)} (about how many labels) or "
            f"{argument('probabilities', '1,0.5,0.1')}; give one of them."
        )
        raise BadOption(msg)
    expected = None if labels is None else _middle(stated, home_scores(rule).prevalence)
    if labels is not None:
        oriented, chances = _for_budget(rule, scores, cut, labels, expected, oriented)
    else:
        chances = _checked_chances(probabilities, oriented)
        if len(chances) > LEAST_STRATA and oriented is None:
            share = _middle(stated, home_scores(rule).prevalence)
            oriented = lower_edge(home_scores(rule), cut, share, 0.1 * scores.size)
    edges = [cut] if oriented is None or len(chances) == LEAST_STRATA else [cut, oriented]
    strata = strata_of(scores, edges)
    drawn = _coins(everyone, seed, rule) < np.array(chances)[strata]
    plan = LabelPlan(
        rule=str(rule.document.sha256),
        threshold=rule.threshold,
        direction=rule.document.direction,
        edge=None if len(edges) == 1 else rule.sign * edges[1] + 0.0,
        seed=seed,
        prevalence=expected,
        strata=[
            DrawnStratumPart(
                name=name,
                chance=chances[place],
                patients=int(np.sum(strata == place)),
                drawn=int(np.sum(drawn & (strata == place))),
            )
            for place, name in enumerate(NAMES[len(chances)])
        ],
    ).sealed()
    places = np.random.default_rng(seed).permutation(np.flatnonzero(drawn))
    warnings = (*texts_of(findings), *_hidden_warnings(plan))
    warn_each(warnings, stacklevel=2)
    assert everyone.patients is not None  # noqa: S101
    return LabelDraw(
        plan=plan,
        patients=everyone.patients[places],
        strata=np.array(NAMES[len(chances)])[strata[places]],
        expected=_expected_labels(plan),
        warnings=warnings,
    )


def _middle(stated: tuple[float, float] | None, home: float) -> float:
    """Return the prevalence to plan for: the middle of what is stated, else that at home."""
    return home if stated is None else float(np.sqrt(stated[0] * stated[1]))


def _for_budget(
    rule: FrozenRule,
    scores: NDArray[np.float64],
    cut: float,
    labels: int,
    prevalence: float | None,
    edge: float | None,
) -> tuple[float | None, list[float]]:
    """Return the lower edge and the probabilities for a number of labels."""
    check_count("draw", labels, at_least=10)
    if labels >= scores.size:
        msg = (
            f"{argument('draw', labels)} must be below the number of patients ({scores.size}). "
            "Label all of them instead, and audit without a plan."
        )
        raise BadOption(msg)
    home, share = home_scores(rule), float(prevalence or 0.5)
    edge = lower_edge(home, cut, share, labels) if edge is None else edge
    edges = [cut] if edge is None else [cut, edge]
    sizes = np.bincount(strata_of(scores, edges), minlength=len(edges) + 1)
    return edge, chances_for(Expected.of(home, edges, share, labels).ratios, sizes, labels)


def _checked_edge(rule: FrozenRule, edge: float) -> float:
    side = "below" if rule.sign > 0 else "above"
    if not is_real(edge) or not rule.sign * edge < rule.sign * rule.threshold:
        refuse("edge", f"be a score {side} the cut-off {rule.threshold:g}", edge)
    return float(edge)


def _checked_chances(given: Sequence[float] | None, edge: float | None) -> list[float]:
    """Return the probabilities by stratum; refuse what no plan can use."""
    found = list(given or ())
    right = all(is_real(one) and 0 <= one <= 1 for one in found)
    if not right or len(found) not in NAMES:
        need = "be two or three probabilities from 0 to 1: called, (just below,) far below"
        refuse("probabilities", need, given)
    if not found[0]:
        msg = (
            f"{argument('probabilities')} must be above 0 for called patients: without their "
            "labels nothing is known about the rule."
        )
        raise BadOption(msg)
    if edge is not None and len(found) == LEAST_STRATA:
        msg = f"{argument('edge')} makes three strata; give three {argument('probabilities')}."
        raise BadOption(msg)
    return [float(one) for one in found]


def _coins(patients: PatientScores, seed: int, rule: FrozenRule) -> NDArray[np.float64]:
    if patients.patients is None:
        msg = (
            "a labelling plan needs the identifiers of the patients; name their column with "
            f"{argument('patient')}."
        )
        raise BadPatients(msg)
    return coins(patients.patients.tolist(), seed, str(rule.document.sha256))


def _expected_labels(plan: LabelPlan) -> tuple[float, float, float]:
    """Return how many labels the coins give on average, and in 95 of 100 plans."""
    chances = np.repeat(plan.chances, [one.patients for one in plan.strata])
    mean, sd = float(chances.sum()), float(np.sqrt((chances * (1 - chances)).sum()))
    low, high = max(mean - 1.96 * sd, 0.0), min(mean + 1.96 * sd, chances.size)
    return mean, float(np.floor(low)), float(np.ceil(high))


def _hidden_warnings(plan: LabelPlan) -> list[str]:
    """Warn of strata of which nobody is labelled."""
    return [
        f"no labels: the plan labels none of the {one.patients} patients of the stratum "
        f"'{one.name}', so how many of them are ill cannot be known. The upper limit of the miss "
        "rate counts all of them as ill."
        for one in plan.strata
        if not one.chance and one.patients
    ]


# After labelling ---------------------------------------------------------------------------------


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
        found = []
        if self.ignored:
            found.append(
                f"labels: {self.ignored} labelled patients were not drawn by the plan; their "
                "labels are ignored."
            )
        if self.unlabelled:
            found.append(
                f"labels: {self.unlabelled} drawn patients have no label. In upper limits each of "
                "them counts as an error, in lower limits as right. Estimates leave them out."
            )
        grown = self.worst.n_patients - sum(one.patients for one in self.plan.strata)
        if grown:
            found.append(
                f"labels: {grown} patients came after the plan was made; they have coins too."
            )
        if self.plan.seed:
            found.append(
                f"labels: the plan was drawn with the seed {self.plan.seed}, not with 0. If plans "
                "of several seeds were labelled and the best is shown, the limits do not hold."
            )
        return [*found, *_hidden_warnings(self.plan)]

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
            part = against / (2 * len(ends))
            found = [
                _sign(low, high)
                for miss, alarm in ends
                for low, high in zip(
                    self._gains(miss, alarm, level / 2),
                    self._losses(miss, alarm, part),
                    strict=True,
                )
            ]
            return worst_answer(found)
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

    def _gains(self, miss: float, alarm: float, level: float) -> tuple[float, float]:
        """Return lower limits of what is saved against calling nobody, and everybody."""
        missed, alarmed = self.worst.highest_miss(level), self.worst.highest_alarm(level)
        return miss * (1 - missed) - alarm * alarmed, alarm * (1 - alarmed) - miss * missed

    def _losses(self, miss: float, alarm: float, level: float) -> tuple[float, float]:
        """Return upper limits of the same."""
        missed, alarmed = self.best.lowest_miss(level / 2), self.best.lowest_alarm(level / 2)
        return miss * (1 - missed) - alarm * alarmed, alarm * (1 - alarmed) - miss * missed

    def _as_before(self, level: float, against: float) -> Answer:
        """Compare both error rates with those of the first hospital."""
        if rounded_at_home(self.rule):
            return "cannot tell"
        home = self.rule.document.reference.confusion
        n_choices, margin = self.rule.certificate.n_choices, self.margin
        answers: list[Answer] = []
        for wrong, n, highest, lowest in (
            (home.fn, home.n_positive, self.worst.highest_miss, self.best.lowest_miss),
            (home.fp, home.n_negative, self.worst.highest_alarm, self.best.lowest_alarm),
        ):
            least = rate_interval(wrong, n, level, n_choices)[0]
            most = rate_interval(wrong, n, against / 2, n_choices)[1]
            close = n > 0 and highest(level / 2) < least + margin
            higher = n > 0 and lowest(against / 4) > most
            answers.append("yes" if close else "no" if higher else "cannot tell")
        return worst_answer(answers)

    def _within(self, level: float, against: float) -> Answer:
        """Compare the cost with the certified limit, and certified rates with their limits."""
        certificate, rates = self.rule.certificate, self.rule.certified_rates
        part, costs = against / (1 + len(rates)), self.rule.costs
        within = self.worst.highest_cost(costs, level) <= certificate.value
        above = self.best.lowest_cost(costs, part) > certificate.value
        within = within and not certificate.vacuous
        answers: list[Answer] = ["yes" if within else "no" if above else "cannot tell"]
        limits = {
            "sensitivity": (self.worst.highest_miss, self.best.lowest_miss),
            "specificity": (self.worst.highest_alarm, self.best.lowest_alarm),
        }
        for name, asked in rates.items():
            highest, lowest = limits[name]
            reached = 1 - highest(level) >= asked
            short = 1 - lowest(part) < asked
            answers.append("yes" if reached else "no" if short else "cannot tell")
        return worst_answer(answers)

    # What is written -----------------------------------------------------------------------------

    def describe(self) -> SampledPart:
        """Return what the drawn patients show, as it is written."""
        level, costs = self.delta / 2, self.rule.costs
        worst, best, seen = self.worst, self.best, self.seen
        right = seen.drawn(seen.healthy).estimate
        return SampledPart(
            plan_sha256=str(self.plan.sha256),
            level=1 - self.delta,
            strata=[
                SampledStratumPart(
                    name=part.name,
                    chance=part.chance,
                    patients=worst.sizes[place],
                    drawn=worst.ill[place] + worst.healthy[place],
                    labelled=seen.ill[place] + seen.healthy[place],
                    ill=seen.ill[place],
                )
                for place, part in enumerate(self.plan.strata)
            ],
            ignored=self.ignored,
            unlabelled=self.unlabelled,
            miss=SampledRatePart(
                value=None if seen.n_hidden else seen.drawn(seen.ill).estimate,
                low=best.lowest_miss(level),
                high=worst.highest_miss(level),
            ),
            alarm=SampledRatePart(
                value=None if right is None or seen.n_hidden else 1 - right,
                low=best.lowest_alarm(level),
                high=worst.highest_alarm(level),
            ),
            cost=SampledRatePart(
                value=None if seen.n_hidden else seen.estimated_cost(costs),
                low=best.lowest_cost(costs, self.delta),
                high=worst.highest_cost(costs, self.delta),
            ),
            hidden=self._hidden(level),
        )

    def _hidden(self, level: float) -> HiddenPart | None:
        """Return what patients of strata without labels may hide; None if there are none."""
        if not self.worst.n_hidden:
            return None
        inside = self.worst.highest_miss(level, 0.0)
        target = min(inside + self.margin, 1.0) if inside < 1 else 1.0
        return HiddenPart(
            strata=self.hidden_strata,
            patients=self.worst.n_hidden,
            miss_if_none=inside,
            miss_target=target,
            most_ill=self.worst.most_hidden(level, target) if target < 1 else 0.0,
        )


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
        msg = (
            "the labelling plan was made for another rule: it names the rule "
            f"{plan.rule[:12]}..., this one is {str(rule.document.sha256)[:12]}.... Give the rule "
            "that it was made for."
        )
        raise BadOption(msg)
    edges = [rule.sign * rule.threshold]
    edges += [] if plan.edge is None else [rule.sign * plan.edge]
    strata = strata_of(rule.sign * patients.scores, edges)
    chances = np.array(plan.chances)
    drawn = _coins(patients, plan.seed, rule) < chances[strata]
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
            msg = (
                f"patients with a label who are not in the table: {unknown}. Give the table that "
                "has them. Did a spreadsheet change identifiers, such as 007 to 7?"
            )
            raise BadPatients(msg)
        values = [labels.get(name, -1) for name in names]
    elif labels is not None:
        values = [one if one in {0, 1} else -1 for one in np.asarray(labels).tolist()]
    elif patients.labels is not None:
        values = patients.labels.tolist()
    else:
        values = []
    if len(values) != len(names) or not {*values} <= {-1, 0, 1}:
        msg = (
            "a labelling plan needs the labels of the drawn patients: a mapping from identifiers "
            "to 0 or 1, or one label per patient, None where it is not known."
        )
        raise BadPatients(msg)
    return np.array(values, dtype=np.int64)


def _check_same_patients(plan: LabelPlan, strata: IntArray, drawn: NDArray[np.bool_]) -> None:
    """Refuse a table that lacks patients of the plan, or has others."""
    planned, here = sum(one.patients for one in plan.strata), strata.size
    if here < planned:
        msg = (
            f"the plan was made for {planned} patients, and the table has {here}. Give the whole "
            "table, with the patients who were not drawn too."
        )
        raise BadPatients(msg)
    for place, one in enumerate(plan.strata):
        found = int(np.sum(strata == place)), int(np.sum(drawn & (strata == place)))
        if found[0] < one.patients or (here == planned and found != (one.patients, one.drawn)):
            msg = (
                f"these are not the patients that the plan was made for: the stratum '{one.name}' "
                f"had {one.patients} patients, {one.drawn} of them drawn; here {found[0]} and "
                f"{found[1]}. Give the same table, with the same scores."
            )
            raise BadPatients(msg)


def _check_labelled(
    plan: LabelPlan, strata: IntArray, drawn: NDArray[np.bool_], given: IntArray
) -> None:
    """Refuse a stratum of which no drawn patient has a label."""
    for place, one in enumerate(plan.strata):
        here = drawn & (strata == place)
        if here.any() and not (given[here] >= 0).any():
            msg = (
                f"none of the {int(here.sum())} patients drawn from the stratum '{one.name}' has a "
                "label, so that the miss rate cannot be known. Label them, or make a plan that "
                "gives this stratum the probability 0."
            )
            raise BadPatients(msg)


# Words ---------------------------------------------------------------------------------------


def described(found: Sampled, verdict: Verdict, part: SampledPart) -> list[QuestionPart]:
    """Return each question with its answer and a sentence."""
    words, home = Words(rule=found.rule), found.rule.document.reference.confusion
    before = [one for one in (home.miss_rate, home.alarm_rate) if one is not None]
    were, sure = " and ".join(f"{100 * one:.3g} %" for one in before), f" ({words.confidence})"
    texts: dict[Question, str] = {
        "useful": f"{_mean_cost(found, words, part.cost)}{_without_score(found, words)}{sure}",
        "as_before": (
            f"Miss rate {_between(part.miss, 100)} %, false alarm rate {_between(part.alarm, 100)} "
            f"%; before {were}{sure}"
        ),
        "within_certificate": _certified(found, words, verdict, part),
    }
    return [
        QuestionPart(
            question=name,
            answer=getattr(verdict, name),
            text=f"{TITLES[name]}: {getattr(verdict, name)}. {texts[name]}.",
        )
        for name in QUESTIONS
    ]


def _mean_cost(found: Sampled, words: Words, cost: SampledRatePart) -> str:
    """Write the limits of the mean cost: as wrong decisions, or as a number."""
    if words.equal:
        return f"Wrong in {_between(cost, 100 / found.rule.costs.cost_fn)} % of patients"
    return f"Costs on average {_between(cost)} per patient{words.where}"


def _without_score(found: Sampled, words: Words) -> str:
    """Say what calling everybody or nobody would cost, if this can be estimated."""
    seen, costs = found.seen, found.rule.costs
    if seen.n_hidden or not sum(seen.ill) or costs.target is not None:
        return ""
    drawn = seen.drawn(seen.ill)
    weights = (count / chance for count, chance in zip(drawn.counts, drawn.chances, strict=True))
    ill = min(sum(weights) / seen.n_patients, 1.0)
    cost = min(costs.cost_fn * ill, costs.cost_fp * (1 - ill))
    about = f"{100 * cost / costs.cost_fn:.3g} %" if words.equal else f"{cost:.3g}"
    return f"; {words.without_score}: about {about}"


def _certified(found: Sampled, words: Words, verdict: Verdict, part: SampledPart) -> str:
    """Compare the cost and certified rates with what was certified."""
    certificate = found.rule.certificate
    rates, promised = _certified_rates(found), words.limit(certificate.value)
    if not certificate.n_patients:
        return "The cut-off was adapted without labels, so nothing was certified"
    if certificate.vacuous and verdict.within_certificate == "cannot tell":
        return (
            f"The certified limit of {promised} was never shown to be better than "
            f"{words.without_score}, so to be within it means nothing{rates}"
        )
    here = words.limit(part.cost.high)
    text = f"Costs on average at most {here} per patient{words.where}"
    if words.equal:
        text = f"Wrong in at most {here} patients"
    return f"{text}; certified: at most {promised}{rates} ({words.confidence})"


def _certified_rates(found: Sampled) -> str:
    """Write the limit of each certified rate."""
    limits = {"sensitivity": found.worst.highest_miss, "specificity": found.worst.highest_alarm}
    return "".join(
        f"; {name_in_text(name)} at least {at_least(1 - limits[name](found.delta))}, certified: at "
        f"least {asked:g}"
        for name, asked in found.rule.certified_rates.items()
    )


def _between(one: SampledRatePart, scale: float = 1.0) -> str:
    """Write both limits, rounded to the safe side."""
    return f"{at_least(scale * one.low)} to {at_most(scale * one.high)}"


def overall_text(verdict: Verdict) -> str:
    """Return the verdict in one sentence."""
    bad = [SHORT[name] for name in QUESTIONS if getattr(verdict, name) == "no"]
    fine = [SHORT[name] for name in QUESTIONS if getattr(verdict, name) == "yes"]
    if bad:
        return f"the cut-off is not {' and not '.join(bad)}"
    if not fine:
        return "the labels that were drawn do not yet say whether the cut-off can be trusted here"
    rest = "" if len(fine) == len(QUESTIONS) else "; the rest is not yet known"
    return f"the cut-off is {', '.join(fine)}{rest}"


def next_step(found: Sampled, verdict: Verdict) -> str:
    """Say what to do now."""
    name = found.rule.file_name
    if verdict.overall == "good":
        return f"Next: use it, and watch it: steadycut monitor {name} TABLE --order COL"
    if verdict.overall == "bad":
        return f"Next: do not use it here as it is: steadycut adapt {name} TABLE --prevalence P"
    hidden = found.hidden_strata
    if hidden:
        return (
            f"Next: draw some patients of the stratum '{hidden[0]}' too: steadycut audit {name} "
            "TABLE --draw N"
        )
    return (
        f"Next: make a plan with more labels: steadycut audit {name} TABLE --draw N. The same seed "
        "draws most of these patients again. Each look has its own chance of "
        f"{100 * found.delta:g} % of an error."
    )
