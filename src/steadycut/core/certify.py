"""A frozen threshold and patients who did not choose it -> an upper bound on its risk."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike

from steadycut.core.bounds.concentration import BOUNDS, choose_bound
from steadycut.core.checks import check_finite, check_fraction
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.frames import Columns, Framed
from steadycut.core.records import Costs, PatientScores, check_some, sign_of
from steadycut.errors import explains_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Framed):
    """An upper bound on the risk of a threshold. It holds with probability 1 - delta.

    ``value`` is the observed ``risk`` plus ``generalization``, the allowance for chance. The bound
    is ``vacuous`` if it is not below ``trivial_risk``, the risk of calling nobody or everybody.
    ``n_candidates`` is the number of scores among which the cut-off was chosen.
    """

    risk: float
    generalization: float
    bound: str
    delta: float
    honesty: str
    n_patients: int
    trivial_risk: float
    n_candidates: int = 1

    @property
    def value(self) -> float:
        """The certified risk."""
        return self.risk + self.generalization

    @property
    def vacuous(self) -> bool:
        """Whether the certified risk is not below that of calling nobody or everybody."""
        return self.value >= self.trivial_risk

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, as ``study.json`` has them."""
        return {**asdict(self), "value": self.value, "vacuous": self.vacuous}

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"certificate": lambda: {name: [cell] for name, cell in self.to_dict().items()}}

    def again(
        self, counts: Confusion, costs: Costs, delta: float | None = None, bound: str | None = None
    ) -> "Certificate":
        """Return the certificate of other counts, made as this one apart from what is given."""
        return certificate_of(
            counts,
            costs,
            self.delta if delta is None else delta,
            bound=bound or self.bound,
            honesty=self.honesty,
            n_candidates=self.n_candidates,
        )


def certificate_of(
    counts: Confusion,
    costs: Costs,
    delta: float,
    *,
    bound: str = "auto",
    honesty: str = "split",
    n_candidates: int = 1,
) -> Certificate:
    """Return the certificate for the errors among the certifying patients.

    With ``uniform`` honesty the same patients chose among ``n_candidates`` scores. The bound must
    then hold for all these scores at once, so each one gets delta / ``n_candidates``.
    """
    check_fraction("delta", delta)
    name = choose_bound(bound, costs, honesty)
    share = delta / n_candidates if honesty == "uniform" else delta
    return Certificate(
        risk=counts.risk(costs),
        generalization=BOUNDS[name].compute(counts, costs, share),
        bound=name,
        delta=delta,
        honesty=honesty,
        n_patients=counts.n_patients,
        trivial_risk=counts.trivial_risk(costs),
        n_candidates=n_candidates,
    )


@explains_calls
def certify(
    scores: ArrayLike,
    y: ArrayLike,
    threshold: float,
    bound: str = "auto",
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    delta: float = 0.1,
    direction: str = "ge",
) -> Certificate:
    """Bound the risk of a threshold that was chosen on other patients.

    Parameters
    ----------
    scores, y
        Scores and 0/1 labels, shape (n,), of patients who were not used to choose the threshold.
    threshold
        The frozen threshold. A patient is called if ``score >= threshold``.
    bound
        ``auto``, ``clopper-pearson`` (equal costs), ``buehler``, ``betting``, ``bentkus``,
        ``hoeffding``, ``dkw`` or ``paper``.
    cost_fn, cost_fp
        The cost of a missed patient and of a false alarm.
    delta
        The bound fails with at most this probability.
    direction
        With ``"le"`` a patient is called if ``score <= threshold``.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> result = certify([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1], threshold=0.5)
    >>> result.risk, round(result.value, 3), result.vacuous
    (0.0, 0.438, False)
    """
    patients = PatientScores(scores=scores, labels=y).oriented(direction)
    check_some("a certificate needs", patients.n_patients)
    oriented = sign_of(direction) * check_finite("threshold", threshold, cut_off=True)
    costs = Costs(cost_fn=cost_fn, cost_fp=cost_fp)
    return certificate_of(confusion_at(patients, oriented), costs, delta, bound=bound)
