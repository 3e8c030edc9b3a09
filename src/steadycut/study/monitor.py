"""A frozen rule in use: patients arrive one after the other, and an alarm may come at any time."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import FloatArray, as_array, check_fraction, check_labels, check_length
from steadycut.core.monitor import CallWatch, Limits, RiskWatch, watch_calls, watch_risk
from steadycut.core.records import PatientScores
from steadycut.documents.guards import (
    check_deployment,
    check_rule,
    forced_names,
    pass_or_refuse,
    texts_of,
)
from steadycut.documents.monitor import CallWatchPart, MonitorDocument, RiskWatchPart, TracePart
from steadycut.documents.rule import FrozenRule
from steadycut.errors import TooFewPatients


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Monitor:
    """What the patients who have arrived so far say about a frozen rule.

    ``risk`` is None without labels. Patients are counted from 1 in the order of arrival; nothing
    here identifies them.
    """

    rule: FrozenRule
    n_patients: int
    delta: float
    risk: RiskWatch | None
    calls: CallWatch
    warnings: tuple[str, ...]
    forced: tuple[str, ...] = ()

    @property
    def first_alarm(self) -> int | None:
        """After how many patients the risk was shown to exceed the certified one, if it was."""
        return None if self.risk is None else self.risk.first_alarm

    @property
    def target(self) -> list[float] | None:
        """The prevalences that the certified value is about, if not those of the certifying."""
        target = self.rule.costs.target
        return None if target is None else list(target)

    def describe(self) -> MonitorDocument:
        """Return everything that was seen, as one typed record."""
        document = self.rule.document
        return MonitorDocument(
            threshold=document.threshold,
            direction=document.direction,
            costs=document.costs,
            target_prevalence=self.rule.costs.target,
            certificate=document.certificate,
            n_patients=self.n_patients,
            labelled=self.risk is not None,
            delta=self.delta,
            alarm=self.first_alarm is not None,
            first_alarm=self.first_alarm,
            verdict_text=self._verdict_text(),
            risk=None if self.risk is None else self._risk_part(self.risk),
            call_rate=_calls_part(self.calls, self.delta),
            warnings=list(self.warnings),
            forced=list(self.forced),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``monitor.json``."""
        return self.describe().to_plain()

    def _risk_part(self, watch: RiskWatch) -> RiskWatchPart:
        return RiskWatchPart(
            **_latest(watch.limits),
            certified=watch.certified,
            can_alarm=watch.can_alarm,
            martingale=float(watch.martingale[-1]),
            alarm_at=1 / self.delta,
            first_alarm=watch.first_alarm,
            false_alarm_if_certificate_true=self.delta,
            false_alarm_overall=min(self.delta + self.rule.document.certificate.delta, 1.0),
            trace=_trace(watch.limits, martingale=watch.martingale),
        )

    def _verdict_text(self) -> str:
        called = self.calls.first_alarm
        also = (
            ""
            if called is None
            else f" The share of patients called has changed (patient {called})."
        )
        return self._risk_verdict() + also

    def _risk_verdict(self) -> str:
        if self.risk is None:
            return "without labels the risk is not watched, only the share of patients called."
        about = ""
        if self.target is not None:
            about = " That value is for prevalences {:g} to {:g}.".format(*self.target)
        return self._risk_text(self.risk) + about

    def _risk_text(self, watch: RiskWatch) -> str:
        certified = watch.certified
        if watch.first_alarm is not None:
            return (
                f"alarm after patient {watch.first_alarm}: the risk here exceeds the certified "
                f"{certified:.3f}; so strong evidence comes with probability {self.delta:g} at "
                "most while it does not."
            )
        if not watch.can_alarm:
            return (
                f"no alarm is possible: the certified {certified:.3f} is vacuous, no loss can "
                "exceed it. Certify the rule with more patients first."
            )
        return (
            f"no alarm: {self.n_patients} patients do not show that the risk here exceeds the "
            f"certified {certified:.3f}."
        )


def monitor(
    rule: FrozenRule,
    scores: PatientScores | ArrayLike,
    y: ArrayLike | None = None,
    *,
    order: ArrayLike | None = None,
    delta: float = 0.1,
    force: bool = False,
    key: bytes | None = None,
) -> Monitor:
    """Watch a frozen rule in use; the result may be looked at as often as one likes.

    Parameters
    ----------
    rule
        The frozen rule.
    scores
        Patient scores, made as the rule says: an array of shape (n,), or `PatientScores` (whose
        labels are used unless ``y`` is given).
    y
        0/1 labels, shape (n,); without them only the call rate is watched.
    order
        When each patient arrived, shape (n,): any numbers, of which patients with a smaller one
        come first; ties stay as the patients stand. Without it patients come as they stand,
        which for `PatientScores` with identifiers is the order of these.
    delta
        Probability of a false alarm, over all time, for each of the two watches.
    force
        Go on where the rule refuses these patients, and record it.
    key
        The secret with which the rule remembers its patients, if it does so by one.

    Returns
    -------
    Monitor

    Notes
    -----
    The order must not depend on the labels, and every patient up to the last one must be there:
    if errors are found earlier than correct decisions, the promise does not hold. It is
    about a certified value that is true; over certificate and monitor together, for patients like
    those who certified the rule, the probability of a false alarm is at most the sum of both
    deltas. A value certified for a range of target prevalences is true here only if the prevalence
    here lies in it: an alarm may then mean that it does not.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> rule = fit(PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)).freeze()
    >>> labels = rng.permutation(labels)
    >>> monitor(rule, rng.normal(size=200) + 3 * labels, labels).first_alarm is None
    True
    >>> monitor(rule, rng.normal(size=200) + 3 * labels + 4, labels).first_alarm < 50
    True
    """
    check_rule(rule)
    check_fraction("delta", delta)
    patients = as_patients(scores, y)
    findings = pass_or_refuse(check_deployment(rule, patients, key=key), force=force)
    arrival = arrival_order(order, patients.n_patients)
    called = rule.decide_scores(patients.scores)[arrival]
    certificate = rule.document.certificate
    return Monitor(
        rule=rule,
        n_patients=patients.n_patients,
        delta=delta,
        risk=None
        if patients.labels is None
        else watch_risk(
            losses(rule, called, patients.labels[arrival]),
            certificate.value,
            rule.costs.largest,
            delta,
        ),
        calls=watch_calls(called, rule.document.reference.confusion, delta, certificate.n_choices),
        warnings=tuple(texts_of(findings)),
        forced=tuple(forced_names(findings)),
    )


def as_patients(scores: PatientScores | ArrayLike, y: ArrayLike | None) -> PatientScores:
    """Return the patients, with the labels that are given."""
    patients = scores if isinstance(scores, PatientScores) else PatientScores(scores=scores)
    if not patients.n_patients:
        msg = "a monitor needs at least one patient; got none."
        raise TooFewPatients(msg)
    return patients if y is None else replace(patients, labels=check_labels(y, patients.n_patients))


def arrival_order(order: ArrayLike | None, n_patients: int) -> NDArray[np.intp]:
    """Return the positions of the patients in the order of their arrival."""
    if order is None:
        return np.arange(n_patients)
    array = as_array("order", order)
    check_length("order", array, n_patients)
    return np.argsort(array, kind="stable")


def losses(rule: FrozenRule, called: NDArray[np.int8], labels: NDArray[np.int8]) -> FloatArray:
    """Return what each decision cost."""
    costs = rule.costs
    missed, alarmed = (labels == 1) & (called == 0), (labels == 0) & (called == 1)
    return costs.cost_fn * missed + costs.cost_fp * alarmed


def _calls_part(watch: CallWatch, delta: float) -> CallWatchPart:
    return CallWatchPart(
        **_latest(watch.limits),
        internal=watch.internal,
        internal_lower=watch.lowest,
        internal_upper=watch.highest,
        martingale_too_many=float(watch.too_many[-1]),
        martingale_too_few=float(watch.too_few[-1]),
        alarm_at=4 / delta,
        first_alarm=watch.first_alarm,
        false_alarm=delta,
        trace=_trace(
            watch.limits, martingale_too_many=watch.too_many, martingale_too_few=watch.too_few
        ),
    )


def _latest(limits: Limits) -> dict[str, float]:
    return {
        "observed": float(limits.mean[-1]),
        "lower": float(limits.lower[-1]),
        "upper": float(limits.upper[-1]),
    }


def _trace(limits: Limits, **martingales: FloatArray) -> TracePart:
    columns = {"observed": limits.mean, "lower": limits.lower, "upper": limits.upper}
    return TracePart.of({**columns, **martingales})
