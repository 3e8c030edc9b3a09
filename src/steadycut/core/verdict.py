"""Counts here and at the first hospital -> a decision about a frozen rule, from three answers.

Is it *useful* here: does it cost less than one action for everybody? Is it *as before*: does it
cost no more here than the same rule would at the error rates of the first hospital? Is it *within
the certificate*: is its average cost at most the certified value, and is every certified
sensitivity and specificity still reached?

"As before" is one question of cost at the prevalence here (`steadycut.core.cost_change`). It is
"yes" if the rise is shown to be less than a margin, a share of the cost without a score, and "no"
if a rise is shown. For a small rise both may be true; then the answer is "yes".

The first two answers and the certified rates make the decision. A rule that is not useful is called
"use" or "use and watch" with probability at most delta, because "useful" needs all of its tests. A
useful rule that costs no more than before, and reaches its rates, is called "adapt" or "do not use"
with probability at most delta: half is for the cost, half is shared by the other tests by Holm's
method. "Within the certificate" has its own delta, for "yes" and for "no".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Final, Literal

import numpy as np
from scipy.special import betainc, betaincinv, ndtr, ndtri

from steadycut.core.bounds.anytime import at_most_p_values, lower_mean, upper_mean
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.bounds.concentration import lower_risk_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import FloatArray, IntArray, Interval, read_only
from steadycut.core.confusion import Confusion
from steadycut.core.cost_change import CostChange, TwoHospitals
from steadycut.core.records import Costs
from steadycut.core.strata import certify
from steadycut.core.strata.certify import ErrorRate, error_rates
from steadycut.core.strata.costs import CostMatrix

Answer = Literal["yes", "no", "cannot tell"]
Overall = Literal["good", "open", "bad"]
Decision = Literal["use", "use and watch", "adapt", "do not use", "label more", "not judged"]
# Whether something is shown, if it may be shown wrongly with this probability.
Test = Callable[[float], bool]
# A rate that may be certified to be at least a value; the predictive values for strata only.
RateName = Literal["sensitivity", "specificity", "npv", "ppv"]
RATE_NAMES: Final[tuple[RateName, ...]] = ("sensitivity", "specificity")

Question = Literal["useful", "as_before", "within_certificate"]
QUESTIONS: Final[tuple[Question, ...]] = ("useful", "as_before", "within_certificate")
WITHIN = QUESTIONS[-1]
OVERALL: Final[Mapping[Answer, Overall]] = {"yes": "good", "cannot tell": "open", "no": "bad"}
# Which share of the cost without a score a decision may cost more than before, and be as good.
MARGIN = 0.1
REFUSED: Final[tuple[Decision, ...]] = ("do not use", "adapt")
# The worst decision first.
DECISIONS: Final[tuple[Decision, ...]] = (
    *(*REFUSED, "not judged", "label more", "use and watch", "use"),
)
# Points and weights for means over a uniform variable, dense at both ends.
_POINTS = np.linspace(-7.0, 7.0, 201)
LEVELS = ndtr(_POINTS)
WEIGHTS = np.exp(-(_POINTS**2) / 2) / np.exp(-(_POINTS**2) / 2).sum()
# With this many standard errors of ill luck a test still passes: in nine audits of ten, and two
# tests together in four of five.
ILL_LUCK = 1.25
MOST_PATIENTS = 20_000


def name_in_text(name: RateName) -> str:
    """Return the name of a rate as texts write it, predictive values in capital letters."""
    return name.upper() if name in {"npv", "ppv"} else name


def certified_error(counts: IntArray, name: RateName) -> ErrorRate:
    """Return the errors against a rate, from patients by grade (healthy, ill) and action.

    Sensitivity and NPV are about the lowest action, specificity and PPV about the highest one.

    Examples
    --------
    >>> certified_error(np.array([[40, 8, 2], [1, 9, 20]]), "npv")
    ErrorRate(wrong=1, n_patients=41)
    """
    missed, alarmed = counts[1, 0], counts[0, -1]
    wrong, members = {
        "sensitivity": (missed, counts[1]),
        "specificity": (alarmed, counts[0]),
        "npv": (missed, counts[:, 0]),
        "ppv": (alarmed, counts[:, -1]),
    }[name]
    return ErrorRate(wrong=int(wrong), n_patients=int(members.sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The three answers, and the decision that they make.

    ``rates`` has the answer for each certified rate; "within the certificate" includes them.
    ``change`` is the cost here less that before, None if it is not known. With a
    ``reason``, nothing is judged: all patients are of one class, or the rule calls everybody or
    nobody, whatever the score is ("no score"), and so is never useful.
    """

    useful: Answer
    as_before: Answer
    within_certificate: Answer
    rates: Mapping[RateName, Answer] = field(default_factory=dict)
    change: CostChange | None = None
    reason: Literal["one class", "no score"] | None = None

    @property
    def decision(self) -> Decision:
        """What the hospital should do with the rule."""
        as_promised = worst_answer([self.as_before, *self.rates.values()])
        if self.reason:
            return "not judged"
        if self.useful == "no":
            return "do not use"
        if as_promised == "no":
            return "adapt"
        if self.useful == "cannot tell":
            return "label more"
        return "use" if as_promised == "yes" else "use and watch"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison:
    """Everything that the three questions need.

    ``here`` and ``before`` count patients by grade and action; ``before`` is None if it is not
    known. ``costs`` is None unless there are two grades and two actions. ``promised`` is the
    certified value; ``vacuous`` says that it is not below the cost of one action for everybody.
    ``n_choices`` is the number of scores among which the patients of the first hospital chose the
    cut-off; 0 if others did, and minus the number of cut-offs if these were fixed beforehand.
    ``own_choices`` says the same of the patients here. With
    ``sequential`` the answers hold at every look at once. ``rounded`` says that errors here may be
    counted too high; then nothing is answered with no. ``ignores_score`` says that the rule calls
    everybody or nobody, whatever the score is. ``certified`` are the smallest values of the
    rates that were certified, for two grades.
    """

    here: IntArray
    before: IntArray | None = None
    matrix: CostMatrix
    costs: Costs | None
    promised: float
    vacuous: bool
    n_choices: int = 0
    own_choices: int = 0
    margin: float = MARGIN
    sequential: bool = False
    rounded: bool = False
    ignores_score: bool = False
    certified: Mapping[RateName, float] = field(default_factory=dict)

    @property
    def confusion(self) -> Confusion:
        """The patients here, two by two."""
        return Confusion.of_counts(self.here)

    @property
    def rates(self) -> list[tuple[ErrorRate, ErrorRate]]:
        """Every error rate here, with the same rate before."""
        if self.before is None:
            return []
        here, before = error_rates(self.here, self.matrix), error_rates(self.before, self.matrix)
        return list(zip(here, before, strict=True))

    @property
    def observed_cost(self) -> float:
        """The mean cost that was observed here."""
        if self.costs is not None:
            return self.confusion.risk(self.costs)
        return float((self.here * self.matrix.values).sum() / self.here.sum())

    @property
    def cost_without_score(self) -> float:
        """The observed mean cost of the best single action for everybody here."""
        if self.costs is not None:
            return self.confusion.trivial_risk(self.costs)
        return float((self.here.sum(axis=1) @ self.matrix.values).min() / self.here.sum())

    @property
    def one_class(self) -> bool:
        """Whether all patients here are of one class."""
        return np.count_nonzero(self.here.sum(axis=1)) == 1

    @property
    def looks_good(self) -> bool:
        """Whether what was observed here, chance aside, speaks for the use of the rule."""
        right = {name: rate.opposite.value for name, rate in self.certified_errors.items()}
        close = [share is None or share >= self.certified[name] for name, share in right.items()]
        # Rounding must not turn a rise of exactly the margin into a larger one.
        most = self.margin * self.cost_without_score + 1e-12
        close += [part.value() <= most for part in self._hospitals]
        return self.observed_cost <= self.cost_without_score and all(close)

    @property
    def moved(self) -> list[Callable[[float], int]]:
        """For each error rate: 1 or -1 if it is shown to be higher or lower here, else 0."""

        def moved(here: ErrorRate, before: ErrorRate, level: float) -> int:
            higher = self._is_higher(here, before, level / 2)
            return higher - self._is_higher(here.opposite, before.opposite, level / 2)

        return [partial(moved, *pair) for pair in self.rates]

    # The cost here and before -----------------------------------------------------------------

    @property
    def _hospitals(self) -> list[TwoHospitals]:
        """Both hospitals, at the prevalence here or at each end of the target; none if unknown."""
        if self.before is None:
            return []
        target = () if self.costs is None else self.costs.target or ()
        ends: list[float | None] = [*sorted(set(target))] or [None]
        found = [
            TwoHospitals(
                here=self.here,
                before=self.before,
                costs=self.matrix.values,
                shares=None if end is None else np.array([1 - end, end]),
                n_choices=self.n_choices,
                sequential=self.sequential,
            )
            for end in ends
        ]
        return found if found[0].known else []

    def change(self, delta: float) -> CostChange | None:
        """Return the cost here less that before; the larger one of both ends of a target.

        Its limits hold together with probability 1 - delta.
        """
        several = self._hospitals
        if not several:
            return None
        value = max(part.value() for part in several)
        low = max(part.limits(delta / 2 / len(several))[0] for part in several)
        high = max(part.limits(delta / 2)[1] for part in several)
        return CostChange(value=value, low=low, high=high, level=1 - delta)

    def _costs_more(self, level: float) -> bool:
        """Whether the cost is shown to be higher than before, by the limits that are printed."""
        change = self.change(level)
        return change is not None and change.low > 0

    def _costs_within_margin(self, level: float) -> bool:
        """Whether the rise is shown to be below the margin, against each way to need no score."""
        allowed = self.margin * self.matrix.values.T
        return all(
            part.limits(level / 2, less)[1] < 0 for part in self._hospitals for less in allowed
        )

    def verdict(self, delta: float) -> Verdict:
        """Answer the three questions."""
        return verdicts([self], delta)[0]

    def scaled_to(self, n_patients: int) -> "Comparison":
        """Return the comparison as it would be with more patients, at the observed rates."""
        shares = self.here / self.here.sum()
        return replace(self, here=np.rint(shares * n_patients).astype(np.int64))

    @property
    def certified_errors(self) -> Mapping[RateName, ErrorRate]:
        """The error rate here that belongs to each certified rate."""
        return {name: certified_error(self.here, name) for name in self.certified}

    @property
    def tests_for_yes(self) -> Mapping[Question | RateName, Sequence[Test]]:
        """The tests that must all pass for a yes; without any test there is no yes."""
        return {
            "useful": [partial(margin, worse=False) for margin in self._margins],
            "as_before": [self._costs_within_margin] if self._hospitals else [],
            "within_certificate": [self._is_within],
            **{name: [partial(self._reaches, name)] for name in self.certified},
        }

    @property
    def tests_for_no(self) -> Mapping[Question | RateName, Sequence[Test]]:
        """The tests of which one is enough for a no."""
        if self.rounded:
            return {}
        # Patients of one class need no score, so they do not tell whether it is useful.
        margins = self._margins if self.cost_without_score else ()
        return {
            "useful": [partial(margin, worse=True) for margin in margins],
            "as_before": [self._costs_more],
            "within_certificate": [lambda level: self.lowest_cost(level) > self.promised],
            **{name: [partial(self._falls_short, name)] for name in self.certified},
        }

    # The mean cost ---------------------------------------------------------------------------

    def highest_cost(self, level: float) -> float:
        """Return an upper limit of the mean cost here."""
        if self.sequential:
            return self._cost_at_any_time(level, upper=True)
        return self.certificate(level).value

    def certificate(self, level: float) -> Certificate:
        """Return the bound on the mean cost here, for one look."""
        if self.costs is not None:
            return certificate_of(self.confusion, self.costs, level)
        grades, actions = certify.members_of(self.here)
        return certify.certify_cost(actions, grades, self.matrix, level)

    def lowest_cost(self, level: float) -> float:
        """Return a lower limit of the mean cost here."""
        if self.sequential:
            return self._cost_at_any_time(level, upper=False)
        if self.costs is not None:
            return lower_risk_limit(self.confusion, self.costs, level)
        grades, actions = certify.members_of(self.here)
        return certify.lowest_cost(actions, grades, self.matrix, level)

    def _cost_at_any_time(self, level: float, *, upper: bool) -> float:
        if self.costs is not None and self.costs.target is not None:
            limit = self._highest if upper else self._lowest
            miss, alarm = (limit(rate, level / 2) for rate in error_rates(self.here, self.matrix))
            return self.costs.worst_risk(miss, alarm)
        limits = upper_mean if upper else lower_mean
        losses = (self.matrix.values - self.matrix.smallest) / self.matrix.spread
        mean = limits(losses.ravel(), self.here.ravel(), level)
        return self.matrix.smallest + self.matrix.spread * mean

    def _is_within(self, level: float) -> bool:
        return not self.vacuous and self.highest_cost(level) <= self.promised

    # Error rates -----------------------------------------------------------------------------

    def limited_rates(self, delta: float) -> list[certify.RateLimit]:
        """Return every error rate here with an upper limit; all limits hold together."""
        rates = error_rates(self.here, self.matrix)
        return certify.limited(rates, lambda rate: self._highest(rate, delta / len(rates)))

    def _highest(self, rate: ErrorRate, level: float) -> float:
        if self.sequential:
            return upper_mean([0, 1], [rate.n_patients - rate.wrong, rate.wrong], level)
        return rate_interval(rate.wrong, rate.n_patients, 2 * level, self.own_choices)[1]

    def _lowest(self, rate: ErrorRate, level: float) -> float:
        if self.sequential:
            return lower_mean([0, 1], [rate.n_patients - rate.wrong, rate.wrong], level)
        return rate_interval(rate.wrong, rate.n_patients, 2 * level, self.own_choices)[0]

    def certified_limits(self, name: RateName, delta: float) -> Interval:
        """Return a lower and an upper limit of a certified rate here.

        The lower limits of all certified rates hold together, and so do the upper limits.
        """
        error, level = self.certified_errors[name], delta / len(self.certified)
        return 1 - self._highest(error, level), 1 - self._lowest(error, level)

    def _reaches(self, name: RateName, level: float) -> bool:
        """Whether a rate is shown to be at least its certified value."""
        return self.certified_limits(name, level)[0] >= self.certified[name]

    def _falls_short(self, name: RateName, level: float) -> bool:
        """Whether a rate is shown to be below its certified value."""
        return 1 - self._lowest(self.certified_errors[name], level) < self.certified[name]

    def _is_higher(self, here: ErrorRate, before: ErrorRate, level: float) -> bool:
        """Whether the rate here is shown to be higher than before."""
        if not here.n_patients or not before.n_patients:
            return False
        if self.n_choices <= 0:
            p_value = melded_p_value(here, before, sequential=self.sequential)
            return p_value * max(-self.n_choices, 1) <= level
        highest = rate_interval(before.wrong, before.n_patients, level, self.n_choices)[1]
        return self._lowest(here, level / 2) > highest

    # The decision against one action for everybody -------------------------------------------

    @property
    def _margins(self) -> Sequence[Callable[..., bool]]:
        """Return, for each way to do without a score, a test against it."""
        if self.costs is None:
            # What the decision saves against each action for everybody, by grade and action.
            gains = [column[:, None] - self.matrix.values for column in self.matrix.values.T]
            return [partial(self._beats_action, one) for one in gains]
        if self.costs.target is not None:
            return [
                partial(self._beats_at, *weights, called=called)
                for weights in self.costs.class_weights
                for called in (True, False)
            ]
        if self.own_choices:
            return [partial(self._beats_at_all_cuts, called=called) for called in (True, False)]
        # Calling a patient pays off if the probability of disease is above this one.
        probability = self.costs.cost_fp / (self.costs.cost_fn + self.costs.cost_fp)
        counts = self.confusion
        called = ErrorRate(wrong=counts.fp, n_patients=counts.tp + counts.fp)
        others = ErrorRate(wrong=counts.fn, n_patients=counts.tn + counts.fn)
        return [
            partial(self._is_below, called, 1 - probability),
            partial(self._is_below, others, probability),
        ]

    def _is_below(self, rate: ErrorRate, value: float, level: float, *, worse: bool) -> bool:
        """Whether a rate is shown to be below a value, or with ``worse`` above it."""
        if not rate.n_patients:
            return False
        return self._lowest(rate, level) > value if worse else self._highest(rate, level) < value

    def _beats_at(
        self, miss: float, alarm: float, level: float, *, called: bool, worse: bool
    ) -> bool:
        """Compare with calling nobody (``called``) or everybody, at a given prevalence.

        Against calling nobody, the called patients count: those who are diseased save ``miss``, the
        others cost ``alarm``. Against calling everybody, the others count.
        """
        missed, alarmed = error_rates(self.here, self.matrix)
        if not missed.n_patients or not alarmed.n_patients:
            return False
        limit = self._lowest if worse else self._highest
        lost, wrong = limit(missed, level / 2), limit(alarmed, level / 2)
        saved, spent = miss * (1 - lost), alarm * wrong
        if not called:
            saved, spent = alarm * (1 - wrong), miss * lost
        return saved < spent if worse else saved > spent

    def _beats_at_all_cuts(self, level: float, *, called: bool, worse: bool) -> bool:
        """Compare with calling nobody (``called``) or everybody, if these patients chose the cut.

        The shares of all patients who are ill and called, and who are healthy and called, have
        limits that hold at all cuts at once. So do the shares of those who are not called.
        """
        counts, costs = self.confusion, self.costs
        assert costs is not None  # noqa: S101
        ill, healthy = (counts.tp, counts.fp) if called else (counts.fn, counts.tn)
        pair = (ill, costs.cost_fn), (healthy, costs.cost_fp)
        saved, spent = pair if called else pair[::-1]
        least, most = (self._highest, self._lowest) if worse else (self._lowest, self._highest)
        n = counts.n_patients
        gain = saved[1] * least(ErrorRate(wrong=saved[0], n_patients=n), level / 2)
        gain -= spent[1] * most(ErrorRate(wrong=spent[0], n_patients=n), level / 2)
        return gain < 0 if worse else gain > 0

    def _beats_action(self, gains: FloatArray, level: float, *, worse: bool) -> bool:
        """Whether the mean of the gains is shown to be above 0, or with ``worse`` below it."""
        values = gains if worse else -gains
        least, spread = float(values.min()), float(np.ptp(values))
        scaled = (values - least) / spread
        if self.sequential:
            highest = upper_mean(scaled.ravel(), self.here.ravel(), level)
        else:
            bound = certify.choose_loss_bound("auto", self.matrix, int(self.here.sum()))
            bound = "bentkus" if bound == "clopper-pearson" else bound
            highest = certify.LOSS_BOUNDS[bound](
                np.repeat(scaled.ravel(), self.here.ravel()), level
            )
        return least + spread * highest < 0


def verdicts(several: Sequence[Comparison], delta: float) -> list[Verdict]:
    """Answer the questions for several groups of patients, with simultaneous error probabilities.

    All decisions "adapt" and "do not use" are right with probability at least 1 - delta, and so are
    all answers "yes" to one question, and all answers "no" to "within the certificate".
    """
    share, found = delta / max(len(several), 1), []
    by_tests = _refuted(several, delta / 2, lambda name: name not in {"as_before", WITHIN})
    within = _refuted(several, delta, lambda name: name == WITHIN)
    for comparison, *against in zip(several, by_tests, within, strict=True):
        silent: Literal["no score"] | None = "no score" if comparison.ignores_score else None
        if any(test(share) for test in comparison.tests_for_no.get("as_before", ())):
            against.append({"as_before"})
        answers: dict[Question | RateName, Answer] = {}
        for name, own in comparison.tests_for_yes.items():
            shown = own and all(test(share) for test in own)
            refuted = any(name in names for names in against)
            answers[name] = "yes" if shown else "no" if refuted else "cannot tell"
        rates = {name: answers[name] for name in comparison.certified}
        found.append(
            Verdict(
                useful="no" if silent else answers["useful"],
                as_before=answers["as_before"],
                within_certificate=worst_answer([answers[WITHIN], *rates.values()]),
                rates=rates,
                change=comparison.change(share),
                reason="one class" if comparison.one_class else silent,
            )
        )
    return found


def _refuted(
    several: Sequence[Comparison], delta: float, is_asked: Callable[[str], bool]
) -> list[set[str]]:
    """Return the names of some questions that are answered with no, for each of several groups."""
    tests = [
        (place, name, test)
        for place, comparison in enumerate(several)
        for name, own in comparison.tests_for_no.items()
        for test in own
        if is_asked(name)
    ]
    passed = [tests[number][:2] for number in holm([test for *_, test in tests], delta)]
    return [{name for at, name in passed if at == place} for place in range(len(several))]


def worst_answer(answers: Iterable[Answer]) -> Answer:
    """Return the answer to several questions at once: yes if all are yes, no if one is no.

    Examples
    --------
    >>> worst_answer(["yes", "cannot tell"]), worst_answer(["no", "cannot tell"])
    ('cannot tell', 'no')
    """
    given = set(answers)
    if "no" in given:
        return "no"
    return "yes" if given == {"yes"} else "cannot tell"


def holm(tests: Sequence[Test], delta: float) -> set[int]:
    """Return the positions of the tests that pass; any is wrong with probability at most delta.

    Holm (1979): the tests that have not passed share delta equally, until none of them passes.

    Examples
    --------
    >>> sorted(holm([lambda level, p=p: p <= level for p in (0.2, 0.03, 0.04)], 0.1))
    [1, 2]
    """
    left = set(range(len(tests)))
    passed = left
    while passed:
        passed = {place for place in left if tests[place](delta / len(left))}
        left = left - passed
    return set(range(len(tests))) - left


def patients_needed(comparison: Comparison, question: Question, delta: float) -> int | None:
    """Return how many patients answer a question at the observed rates, in about 4 audits of 5.

    None if more than `MOST_PATIENTS` are needed. The power is that of a normal distribution: at the
    expected counts, the answer is reached with `ILL_LUCK` standard errors to spare.
    """

    def is_enough(n_patients: int) -> bool:
        return is_answered(comparison.scaled_to(n_patients), question, strict_level(delta))

    return smallest_number(is_enough, int(comparison.here.sum()))


def is_answered(comparison: Comparison, question: Question, delta: float) -> bool:
    """Return whether the verdict on a question is yes or no, from as few tests as possible."""
    names = [question, *(comparison.certified if question == "within_certificate" else ())]
    for_yes, for_no = comparison.tests_for_yes, comparison.tests_for_no
    is_yes = {name: bool(for_yes[name]) and all(t(delta) for t in for_yes[name]) for name in names}
    if all(is_yes.values()):
        return True
    against = [test for name in names if not is_yes[name] for test in for_no.get(name, ())]
    # A test that does not pass alone does not pass together with others.
    if not any(test(delta) for test in against):
        return False
    return bool(getattr(comparison.verdict(delta), question) != "cannot tell")


def strict_level(delta: float) -> float:
    """Return the level at which expected counts must pass a test at delta in 4 studies of 5."""
    return float(ndtr(ndtri(delta) - ILL_LUCK))


def smallest_number(
    is_enough: Callable[[int], bool], start: int, most: int = MOST_PATIENTS
) -> int | None:
    """Return the smallest number of patients from ``start`` on that is enough, if it is found.

    Once true, it must stay true. The search first doubles the number, so that numbers far beyond
    the answer, which are slow, are never tried.
    """
    low = reach = start
    while not is_enough(reach):
        if reach == most:
            return None
        low, reach = reach + 1, min(2 * reach, most)
    while low < reach:
        middle = (low + reach) // 2
        low, reach = (low, middle) if is_enough(middle) else (middle + 1, reach)
    return reach


def melded_p_value(here: ErrorRate, before: ErrorRate, *, sequential: bool = False) -> float:
    """Return the p-value of the test that the rate here is above the rate before.

    The test melds what is known of both rates (Fay, Proschan and Brittain 2015): the p-value of
    "the rate here is at most v" is averaged over the upper limits of the rate before, taken as a
    variable with a beta distribution. It is the one-sided exact test of Fisher. With ``sequential``
    the p-value here is one that holds at every look.

    Examples
    --------
    >>> here, before = ErrorRate(wrong=9, n_patients=20), ErrorRate(wrong=3, n_patients=30)
    >>> round(melded_p_value(here, before), 4)
    0.0063
    """
    if not here.wrong:
        return 1.0
    limits = _upper_limits(before.wrong, before.n_patients - before.wrong)
    return float(_at_most_p_values(here, limits, sequential=sequential) @ WEIGHTS)


@lru_cache(maxsize=64)
def _upper_limits(wrong: int, right: int) -> FloatArray:
    """Return the upper limits of a rate at all `LEVELS`."""
    return read_only(betaincinv(wrong + 1, right, LEVELS) if right else np.ones_like(LEVELS))


def _at_most_p_values(rate: ErrorRate, values: FloatArray, *, sequential: bool) -> FloatArray:
    """Return, for each value in (0, 1], the p-value of the claim that a rate is at most this."""
    right = rate.n_patients - rate.wrong
    if sequential:
        return at_most_p_values([0, 1], [right, rate.wrong], values)
    p_values: FloatArray = betainc(rate.wrong, right + 1, values)
    return p_values
