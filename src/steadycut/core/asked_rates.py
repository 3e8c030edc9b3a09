"""Certify that a rate, such as the sensitivity, is at least what somebody asked for.

Sensitivity is a share of the ill certifying patients, specificity one of the healthy ones. Given
the labels, the patients of a class are independent draws. So a limit of each rate is exact binomial
(Clopper and Pearson 1934) if other patients chose the cut-off. If the same patients chose it, the
limit is that of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds at all cuts of all scores.
Whether a rate is as large as asked is answered by the exact test all the same. Called patients of a
class are nested: of all cuts at which the rate is below the value, the one with the largest rate
has the most right, and where that is does not depend on the patients.

NPV is the share of healthy patients among those ruled out, PPV that of ill patients among those
ruled in. Given the decisions, the labels of these patients are independent draws, if other patients
chose the cut-offs and the labels did not decide who certifies. So their limits are exact, too.

Several rates share delta equally. Their lower limits hold together with probability 1 - delta, and
so do their upper limits. A wrong "yes" needs a rate below the value, a wrong "no" one at or above
it. One rate is never both, so any wrong answer has probability at most delta.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scipy.special import betainc, betaincinv

from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.bounds.scan import chance_at_target
from steadycut.core.certify import Certificate
from steadycut.core.checks import IntArray, Interval, check_fraction, refuse
from steadycut.core.confusion import Confusion
from steadycut.core.planning.power import POWER
from steadycut.core.records import Costs
from steadycut.core.verdict import MOST_PATIENTS, RATE_NAMES, Answer, RateName, certified_error
from steadycut.errors import BadOption, argument

# The inequality of Dvoretzky, Kiefer and Wolfowitz is one-sided up to this probability.
LARGEST_DELTA = 0.5


def parse_rates(
    text: str | None, names: Collection[RateName] = RATE_NAMES
) -> dict[RateName, float]:
    """Return what is asked for, by the name of the rate, which must be one of ``names``.

    Examples
    --------
    >>> parse_rates("sensitivity:0.90,specificity:0.80")
    {'sensitivity': 0.9, 'specificity': 0.8}
    """
    if text is None:
        return {}
    if not isinstance(text, str):
        refuse("certify", "be a text such as 'sensitivity:0.90'", text)
    asked: dict[RateName, float] = {}
    for part in text.split(","):
        given, _, value = part.strip().partition(":")
        name = next((one for one in names if one == given), None)
        if name is None or not value:
            known, example = " or ".join(names), next(iter(names))
            refuse("certify", f"name {known}, each with a value, as in {example}:0.90", text)
        if name in asked:
            raise BadOption(f"{argument('certify')} asks for {name} twice; ask once.")
        asked[name] = share_in("certify", name, value)
    return asked


def share_in(option: str, name: str, text: str) -> float:
    """Return the share that is asked of a rate in the text of an option."""
    try:
        value: float | str = float(text)
    except ValueError:
        value = text
    return check_fraction(f"the {name} of {argument(option)}", value)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedRate:
    """A rate that should be at least ``asked``, and what the certifying patients show of it.

    ``right`` of ``n_patients`` were decided rightly. They are the patients of one class, or those
    with one decision for a predictive value. Each limit of the rate is wrong
    with probability at most ``delta``. ``n_choices`` is the number of scores among which the same
    patients chose the cut-off; 0 if others did. ``rounded`` says that fewer may be counted as right
    than are; then nothing is refuted.

    Examples
    --------
    >>> one = CertifiedRate(rate="sensitivity", asked=0.9, right=46, n_patients=46, delta=0.1)
    >>> round(one.lower, 4), one.answer
    (0.9512, 'yes')
    """

    rate: RateName
    asked: float
    right: int
    n_patients: int
    delta: float
    n_choices: int = 0
    rounded: bool = False

    @property
    def observed(self) -> float | None:
        """The share; None without patients."""
        return self.right / self.n_patients if self.n_patients else None

    @property
    def limits(self) -> Interval:
        """A lower and an upper limit, each one-sided at ``delta``."""
        both = 2 * min(self.delta, LARGEST_DELTA)
        low, high = rate_interval(self.right, self.n_patients, both, self.n_choices)
        return low, 1.0 if self.rounded else high

    @property
    def lower(self) -> float:
        """The lower limit of the rate."""
        return self.limits[0]

    @property
    def upper(self) -> float:
        """The upper limit of the rate."""
        return self.limits[1]

    @property
    def answer(self) -> Answer:
        """Whether the rate is at least the value."""
        low, high = rate_interval(self.right, self.n_patients, 2 * self._level)
        if low >= self.asked:
            return "yes"
        return "no" if high < self.asked and not self.rounded else "cannot tell"

    @property
    def patients_needed(self) -> int | None:
        """How many patients of the class show it at the observed rate, in four studies of five.

        If the observed rate is too low, more patients do not help, unless these cannot show it
        whatever they do: then it is how many are needed if all are decided rightly. None if it is
        shown, or if it needs more than `MOST_PATIENTS`.
        """
        if self.answer == "yes":
            return None
        if self._looks_large:
            return self._patients_at(self.right / self.n_patients)
        too_few = self._fewest_right(self.n_patients) > self.n_patients
        return self._patients_at(1.0) if too_few else None

    @property
    def rate_needed(self) -> float | None:
        """The true rate that as many patients show in four studies of five.

        None if the observed rate is large enough, or if no number of right decisions shows it.
        """
        right = self._fewest_right(self.n_patients)
        if self._looks_large or right > self.n_patients:
            return None
        return float(betaincinv(right, self.n_patients - right + 1, POWER))

    @property
    def _looks_large(self) -> bool:
        return self.observed is not None and self.observed > self.asked

    @property
    def _level(self) -> float:
        """The probability of a wrong answer for each score among which was chosen."""
        return min(self.delta, LARGEST_DELTA) / max(self.n_choices, 1)

    def _shows(self, right: int, n: int) -> bool:
        """Whether the lower limit would be at least the value, with these counts."""
        return _chance_of_at_least(right, n, self.asked) <= self._level

    def _fewest_right(self, n: int, start: int = 1) -> int:
        """Return the smallest count that shows the rate; n + 1 if no count does."""
        right = start
        while right <= n and not self._shows(right, n):
            right += 1
        return right

    def _patients_at(self, rate: float) -> int | None:
        right = 1
        for n in range(self.n_patients + 1, MOST_PATIENTS + 1):
            # With more patients, never fewer right decisions are needed.
            right = self._fewest_right(n, right)
            if right <= n and _chance_of_at_least(right, n, rate) >= POWER:
                return n
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedCost:
    """Whether the risk is at most ``asked``, a value that was fixed before the patients were seen.

    "yes" is wrong with probability at most ``delta``. ``observed`` is the risk among the patients.
    """

    asked: float
    observed: float
    delta: float
    answer: Answer


def certified_cost(
    certificate: Certificate, counts: Confusion, costs: Costs, asked: float, delta: float
) -> CertifiedCost:
    """Return whether the patients show that the risk is at most a value that was fixed beforehand.

    With ``uniform`` honesty this is exact: no union over numbers of errors is needed.

    Examples
    --------
    >>> from steadycut.core.certify import certificate_of
    >>> counts, costs = Confusion(tp=20, fn=2, fp=3, tn=25), Costs()
    >>> both = certificate_of(counts, costs, 0.1, honesty="uniform")
    >>> certified_cost(both, counts, costs, 0.25, 0.1).answer, both.value <= 0.25
    ('yes', False)
    """
    if certificate.honesty == "uniform":
        is_shown = chance_at_target(counts, costs, asked) <= delta / certificate.n_candidates
    else:
        is_shown = certificate.again(counts, costs, delta).value <= asked
    answer: Answer = "yes" if is_shown else "cannot tell"
    return CertifiedCost(asked=asked, observed=counts.risk(costs), delta=delta, answer=answer)


def _chance_of_at_least(count: int, n: int, rate: float) -> float:
    """Return the probability of at least ``count`` of n, for 1 <= count <= n."""
    return float(betainc(count, n - count + 1, rate))


def certified_rates(
    counts: IntArray, asked: Mapping[RateName, float], delta: float, n_choices: int = 0
) -> tuple[CertifiedRate, ...]:
    """Return what the certifying patients show of each rate that is asked for.

    ``counts`` are patients by grade (healthy, ill) and action, both ascending.

    Examples
    --------
    >>> import numpy as np
    >>> both = certified_rates(
    ...     np.array([[40, 5], [2, 90]]), {"sensitivity": 0.9, "specificity": 0.8}, 0.1
    ... )
    >>> [(one.rate, one.answer, round(one.lower, 3)) for one in both]
    [('sensitivity', 'yes', 0.933), ('specificity', 'cannot tell', 0.78)]
    >>> counts = np.array([[60, 20, 1], [0, 10, 50]])
    >>> both = certified_rates(counts, {"npv": 0.95, "ppv": 0.95}, 0.1)
    >>> [(one.rate, one.right, one.n_patients, one.answer) for one in both]
    [('npv', 60, 60, 'yes'), ('ppv', 50, 51, 'cannot tell')]
    """
    rates = []
    for name, value in asked.items():
        right = certified_error(counts, name).opposite
        one = CertifiedRate(
            rate=name,
            asked=value,
            right=right.wrong,
            n_patients=right.n_patients,
            delta=delta / len(asked),
            n_choices=n_choices,
        )
        rates.append(one)
    return tuple(rates)
