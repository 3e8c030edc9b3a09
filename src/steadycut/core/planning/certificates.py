"""Before a study: how many patients are needed for which certificate.

The plan is for the certificate itself. It should be at most R + W, where R is the risk that will be
observed. It is computed as in a study, from whole numbers of errors. A risk R among n patients
means R n errors, rounded up. The certificate therefore falls with n in the long run, but rises
slightly where one more error is counted. A number of patients is returned only if every larger
number that was looked at is also enough: those in which one more error is counted.

With ``power``, not the expected errors are counted, but as many as are seen at most with that
probability. Then so large a share of studies reaches the certificate (see ``power``).
"""

import math
from dataclasses import dataclass, field, replace
from functools import partial

from steadycut.core.bounds import buehler
from steadycut.core.bounds.concentration import BOUNDS, allowed_bounds
from steadycut.core.checks import check_choice, check_delta, check_fraction, store
from steadycut.core.confusion import Confusion
from steadycut.core.planning.power import JEFFREYS, Chance, lasting, pair_at_most
from steadycut.core.records import Costs
from steadycut.core.split import HONESTIES, n_certifying
from steadycut.errors import BadOption

# A tolerance: 0.1 * 30 is slightly more than 3 in floating point, but means three errors.
ROUNDING = 1e-9
# Power is computed up to so many certifying patients; after a pilot it takes longer.
MOST_POWER, MOST_ASSURANCE = 1_000_000, 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The properties of a planned study.

    ``share`` is the part of the risk that is due to misses. If it is None and the costs are
    unequal, the worse of the two extremes counts: the smallest and the largest possible part. The
    more expensive an error, the more it varies, so mixtures lie between the extremes.
    ``prevalence`` limits the extremes. If it is None, the extremes are alarms only and misses only.

    ``power`` is the share of studies that should reach the certificate. With a ``pilot`` it is the
    mean over what the errors of its patients leave open.
    """

    costs: Costs = field(default_factory=Costs)
    delta: float = 0.1
    honesty: str = "split"
    certify_size: float = 0.5
    prevalence: float | None = None
    share: float | None = None
    power: float | None = None
    pilot: Confusion | None = None

    def __post_init__(self) -> None:
        store(self, "delta", check_delta(self.delta))
        store(self, "certify_size", check_fraction("certify_size", self.certify_size))
        check_choice("honesty", self.honesty, HONESTIES)
        if self.prevalence is not None:
            store(self, "prevalence", check_fraction("prevalence", self.prevalence))

    @property
    def bounds(self) -> list[str]:
        """The bounds that hold here and can be planned for, the one that ``auto`` takes first."""
        allowed = allowed_bounds(self.costs, self.honesty)
        return [name for name in allowed if BOUNDS[name].most_planned]

    @property
    def trivial_risk(self) -> float | None:
        """The risk of calling nobody or everybody, if the prevalence is known."""
        if self.prevalence is None:
            return None
        nobody = self.costs.cost_fn * self.prevalence
        return min(nobody, self.costs.cost_fp * (1 - self.prevalence))

    def n_certify(self, n_total: int) -> int:
        """Return how many of all patients certify, as in the split of a study."""
        if self.honesty == "uniform":
            return n_total
        return n_certifying(n_total, self.certify_size)

    def n_total(self, n_certify: int) -> int:
        """Return the smallest total number of patients of whom ``n_certify`` certify."""
        if self.honesty == "uniform":
            return n_certify
        # Rounding may give one patient more than the share, so start below and go up.
        n_total = max(math.floor((n_certify - 1) / self.certify_size), n_certify + 1)
        while self.n_certify(n_total) < n_certify:
            n_total += 1
        return n_total


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCertificate:
    """One bound: the number of patients, and the resulting certificate.

    If the search stopped at ``most`` patients, ``n_certify`` and everything that depends on it is
    None. ``vacuous`` is None if the prevalence is not known.
    """

    bound: str
    risk: float
    n_certify: int | None = None
    n_total: int | None = None
    misses: int | None = None
    alarms: int | None = None
    generalization: float | None = None
    value: float | None = None
    vacuous: bool | None = None
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """Why instances do not replace patients.

    ``design_effect`` is 1 + (instances - 1) icc. ``effective_rows`` is the number of independent
    rows that would give as much information about a mean over rows as the rows of the certifying
    patients. This does not help for the risk of a decision per patient, so ``n_certify`` stays the
    same. ``claimed_generalization`` and ``claimed_patients`` are what one would claim by counting
    rows as patients.
    """

    instances: int
    icc: float
    design_effect: float
    n_certify: int
    rows: int
    effective_rows: float
    bound: str
    generalization: float
    claimed_generalization: float
    claimed_patients: int


def patients_for(bound: str, risk: float, width: float, setting: Setting) -> PlannedCertificate:
    """Return from how many patients on the certificate is at most ``risk + width``.

    Examples
    --------
    >>> row = patients_for("clopper-pearson", 0.1, 0.05, Setting())
    >>> row.n_certify, row.n_total, row.misses + row.alarms
    (132, 263, 14)
    """
    largest = setting.costs.largest
    shares, most = possible_shares(risk, setting), BOUNDS[bound].most_planned
    # Rounding can put the sum of two floats slightly below its exact value.
    limit = risk + width + ROUNDING * largest
    window = math.ceil(2 * largest / width + 2 * largest / (risk + width))

    def is_enough(n: int) -> bool:
        return _value(bound, _worst(bound, n, risk, setting), setting) <= limit

    def later(n: int) -> list[int]:
        """Return larger numbers with more errors; with the same errors, more patients help."""
        near, found = range(n, n + window), set[int]()
        for share in shares:
            several = [_counts(bound, more, risk, share, setting) for more in near]
            errors = [(counts.fn, counts.fp) for counts in several]
            found |= {near[i] for i in range(1, window) if errors[i] != errors[i - 1]}
        return sorted(found, reverse=True)

    if setting.power is not None:
        most = min(most, MOST_POWER if setting.pilot is None else MOST_ASSURANCE)
    n = lasting(is_enough, later, most)
    if n is None:
        return PlannedCertificate(bound=bound, risk=risk, most=most)
    return certificate_for(bound, risk, n, setting)


def certificate_for(
    bound: str, risk: float, n_certify: int, setting: Setting
) -> PlannedCertificate:
    """Return the certificate that ``n_certify`` certifying patients give at an observed risk.

    Examples
    --------
    >>> row = certificate_for("clopper-pearson", 0.1, 100, Setting())
    >>> round(row.generalization, 4), round(row.value, 4)
    (0.0499, 0.1499)
    """
    most = BOUNDS[bound].most_planned
    if n_certify > most:
        return PlannedCertificate(bound=bound, risk=risk, most=most)
    counts = _worst(bound, n_certify, risk, setting)
    value, trivial = _value(bound, counts, setting), setting.trivial_risk
    return PlannedCertificate(
        bound=bound,
        risk=risk,
        most=most,
        n_certify=n_certify,
        n_total=setting.n_total(n_certify),
        misses=counts.fn,
        alarms=counts.fp,
        generalization=_generalization(bound, counts, setting),
        value=value,
        vacuous=None if trivial is None else value >= trivial,
    )


def pooling_of(
    row: PlannedCertificate, instances: int, icc: float, setting: Setting
) -> Pooling | None:
    """Return what one would claim by counting instances as patients; None if not computed.

    Examples
    --------
    >>> row = certificate_for("clopper-pearson", 0.1, 60, Setting())
    >>> pooled = pooling_of(row, instances=50, icc=0.4, setting=Setting())
    >>> round(pooled.design_effect, 1), round(pooled.effective_rows)
    (20.6, 146)
    >>> round(pooled.generalization, 3), round(pooled.claimed_generalization, 3)
    (0.069, 0.007)
    """
    if row.n_certify is None or row.generalization is None:
        return None
    rows, effect = row.n_certify * instances, 1 + (instances - 1) * icc
    if rows > row.most:
        return None
    pooled = _worst(row.bound, rows, row.risk, setting)
    return Pooling(
        instances=instances,
        icc=icc,
        design_effect=effect,
        n_certify=row.n_certify,
        rows=rows,
        effective_rows=rows / effect,
        bound=row.bound,
        generalization=row.generalization,
        claimed_generalization=_generalization(row.bound, pooled, setting),
        claimed_patients=-(-row.n_certify // instances),
    )


# The errors of a risk ------------------------------------------------------------------


def error_counts(n: int, risk: float, share: float, setting: Setting) -> Confusion:
    """Return the number of errors that a risk means among n patients, rounded up.

    Examples
    --------
    >>> error_counts(30, 0.1, 0.5, Setting(prevalence=0.4))
    Confusion(tp=10, fn=2, fp=1, tn=17)
    """
    costs = setting.costs
    if costs.equal:
        errors = min(_up(risk * n / costs.largest), n)
        fn = _up(share * errors)
        fp = errors - fn
    else:
        fn = min(_up(share * risk * n / costs.cost_fn), n)
        fp = min(_up((1 - share) * risk * n / costs.cost_fp), n - fn)
    positive = min(max(round(_prevalence(setting) * n), fn), n - fp)
    return Confusion(tp=positive - fn, fn=fn, fp=fp, tn=n - positive - fp)


def possible_shares(risk: float, setting: Setting) -> list[float]:
    """Return the smallest and the largest part of the risk that misses can have.

    With equal costs only their mean is returned.

    Examples
    --------
    A tenth of the patients is diseased. Misses at cost 3 then make up at most 0.3 of a risk of 0.5.

    >>> possible_shares(0.5, Setting(costs=Costs(cost_fn=3.0), prevalence=0.1))
    [0.0, 0.6]
    """
    if setting.share is not None:
        return [setting.share]
    if not risk:
        return [0.0]
    least, most = 0.0, 1.0
    if setting.prevalence is not None:
        most = min(setting.costs.cost_fn * setting.prevalence / risk, 1.0)
        least = max(1 - setting.costs.cost_fp * (1 - setting.prevalence) / risk, 0.0)
    if least > most:
        raise BadOption(
            f"a risk of {risk:g} is impossible at prevalence {setting.prevalence:g} with these "
            "costs, even if every decision is wrong. Give a smaller risk."
        )
    return [(least + most) / 2] if setting.costs.equal else [least, most]


def _worst(bound: str, n: int, risk: float, setting: Setting) -> Confusion:
    """Return the errors with the largest certificate, over the possible shares of misses."""
    shares = possible_shares(risk, setting)
    several = [_counts(bound, n, risk, share, setting) for share in shares]
    return max(several, key=lambda counts: _value(bound, counts, setting))


def _counts(bound: str, n: int, risk: float, share: float, setting: Setting) -> Confusion:
    """Return the expected errors; with power, those not exceeded in this share of studies."""
    costs, pilot, power = setting.costs, setting.pilot, setting.power
    if power is None:
        return error_counts(n, risk, share, setting)
    seen = math.inf if pilot is None else pilot.n_patients + (2 + (not costs.equal)) * JEFFREYS
    if costs.equal:
        errors = risk / costs.largest if pilot is None else (pilot.fn + pilot.fp + JEFFREYS) / seen
        total = Chance(errors, seen).at_most(n, power)
        fn = _up(share * total)
        fp = total - fn
    else:
        miss, alarm = share * risk / costs.cost_fn, (1 - share) * risk / costs.cost_fp
        if pilot is not None:
            miss, alarm = (pilot.fn + JEFFREYS) / seen, (pilot.fp + JEFFREYS) / seen
        # The other bounds rank by cost alone, as this one does where half of all limits may fail.
        level = {"buehler": setting.delta, "compression": setting.delta / (n + 2)}.get(bound, 0.5)
        rank = partial(buehler.rank, ratio=(costs.cost_fn, costs.cost_fp), delta=level)
        fn, fp = pair_at_most(n, Chance(miss, seen), Chance(alarm, seen), rank, power)
    positive = min(max(round(_prevalence(setting) * n), fn), n - fp)
    return Confusion(tp=positive - fn, fn=fn, fp=fp, tn=n - positive - fp)


def _value(bound: str, counts: Confusion, setting: Setting) -> float:
    return counts.risk(setting.costs) + _generalization(bound, counts, setting)


def _generalization(bound: str, counts: Confusion, setting: Setting) -> float:
    return BOUNDS[bound].compute(counts, setting.costs, setting.delta)


def _prevalence(setting: Setting) -> float:
    """Return the prevalence, or the worst one for bounds that depend on the class sizes."""
    if setting.prevalence is not None:
        return setting.prevalence
    # cost_fn √n₁ + cost_fp √n₀ is largest if the class sizes are as the squared costs.
    fn, fp = setting.costs.cost_fn**2, setting.costs.cost_fp**2
    return fn / (fn + fp)


def _up(number: float) -> int:
    return math.ceil(number - ROUNDING)


def with_share(setting: Setting, counts: Confusion) -> Setting:
    """Return a setting with the mix of errors that was observed among given patients."""
    total = counts.risk(setting.costs) * counts.n_patients
    share = setting.costs.cost_fn * counts.fn / total if total else None
    prevalence = setting.prevalence
    if prevalence is None and 0 < counts.n_positive < counts.n_patients:
        prevalence = counts.prevalence
    return replace(setting, share=share, prevalence=prevalence)
