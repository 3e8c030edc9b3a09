"""A frozen threshold and patients who did not choose it -> a bound on its risk, term by term."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from steadycut.core.bounds.concentration import BOUNDS, choose_bound
from steadycut.core.checks import check_finite, check_fraction
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import Costs, PatientScores, sign_of
from steadycut.errors import TooFewPatients


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """An upper bound on the risk of a threshold, that holds with probability 1 - delta.

    ``value`` = ``risk`` (observed) + ``generalization`` (what independent patients may hide).
    ``vacuous``: no better than a rule without any score, ``trivial_risk``. ``n_candidates`` is
    among how many scores the cut-off was chosen.
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
        """Whether calling nobody, or everybody, looks as good as what is certified."""
        return self.value >= self.trivial_risk


def certificate_of(
    counts: Confusion,
    costs: Costs,
    delta: float,
    *,
    bound: str = "auto",
    honesty: str = "split",
    n_candidates: int = 1,
) -> Certificate:
    """Return the certificate for the errors that certifying patients showed.

    In ``uniform`` honesty the same patients chose among ``n_candidates`` scores, so that the
    bound must hold for all of them at once: each gets delta / ``n_candidates``.
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
    """Bound the risk of a threshold that was chosen elsewhere.

    Parameters
    ----------
    scores, y
        Scores and 0/1 labels of patients, shape (n,), who had no part in choosing the threshold.
    threshold
        The frozen threshold; a patient with ``score >= threshold`` is called.
    bound
        ``auto``, ``clopper-pearson`` (equal costs), ``buehler``, ``betting``, ``bentkus``,
        ``hoeffding``, ``dkw`` or ``paper``.
    cost_fn, cost_fp
        What a missed patient and a false alarm cost.
    delta
        The bound fails with at most this probability.
    direction
        ``"le"`` calls patients with ``score <= threshold`` instead.

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
    if not patients.n_patients:
        msg = "a certificate needs at least one patient; got none."
        raise TooFewPatients(msg)
    check_finite("threshold", threshold)
    oriented = sign_of(direction) * threshold
    costs = Costs(cost_fn=cost_fn, cost_fp=cost_fp)
    return certificate_of(confusion_at(patients, oriented), costs, delta, bound=bound)
