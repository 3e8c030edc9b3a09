"""Labelling plans: whom to label at the next hospital."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from steadycut.core.adapt.sampling import Expected, chances_for, coins, lower_edge, strata_of
from steadycut.core.checks import FloatArray, TextArray, check_count, is_real, refuse
from steadycut.core.frames import Columns, Framed
from steadycut.core.records import PatientScores
from steadycut.documents.change_plan import DrawnStratumPart, LabelPlan, Stratum
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.guards import check_deployment, pass_or_refuse, texts_of
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, Warned, argument, explains_calls, warn_each
from steadycut.study.home import Stated, check_cut_off_rule, check_prevalence, home_scores
from steadycut.study.new_patients import as_patients

NAMES: Final[dict[int, tuple[Stratum, ...]]] = {
    2: ("called", "below"),
    3: ("called", "just below", "far below"),
}
LEAST_STRATA = 2


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabelDraw(Framed):
    """A labelling plan, and the patients whom it draws.

    ``patients`` are the identifiers of the drawn patients in random order, ``strata`` the name of
    the stratum of each of them. ``expected`` is how many labels the coins give: mean, and the range
    that holds in 95 of 100 plans.
    """

    plan: LabelPlan
    patients: TextArray
    strata: TextArray
    expected: tuple[float, float, float]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        """Return how many are drawn; no patient is shown."""
        return f"LabelDraw: {self.patients.size} patients to label; to_frame() lists them"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain numbers and texts; no patient is in it."""
        return self.plan.to_plain()

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"patients": lambda: {"patient": self.patients, "stratum": self.strata}}


@explains_calls
def draw_labels(
    rule: FrozenFile[Any],
    patients: PatientScores | Mapping[Any, PatientScores],
    draw: int | None = None,
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
    draw
        About how many patients to label. Three strata are made: called, just below and far below.
        Their probabilities and the lower edge make the variance of the miss rate small, if the
        classes score as at the first hospital.
    probabilities
        Instead of ``draw``: the probability of a label for the called, (just below,) and far
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
    rule = check_cut_off_rule(rule)
    check_count("seed", seed, at_least=0)
    everyone = as_patients(rule, patients)
    everyone.need_scores("a labelling plan draws patients by their scores")
    findings = pass_or_refuse(check_deployment(rule, everyone, key=key), force=force)
    cut, scores = rule.sign * rule.threshold, rule.sign * everyone.scores
    oriented = None if edge is None else rule.sign * _checked_edge(rule, edge)
    stated = check_prevalence(prevalence)
    if (draw is None) == (probabilities is None):
        raise BadOption(
            f"a labelling plan needs {argument('draw', 400)} (about how many labels) or "
            f"{argument('probabilities', '1,0.5,0.1')}; give one of them."
        )
    expected = None if draw is None else _middle(stated, home_scores(rule).prevalence)
    if draw is not None:
        oriented, chances = _for_budget(rule, scores, cut, draw, expected, oriented)
    else:
        chances = _checked_chances(probabilities, oriented)
        if len(chances) > LEAST_STRATA and oriented is None:
            share = _middle(stated, home_scores(rule).prevalence)
            oriented = lower_edge(home_scores(rule), cut, share, 0.1 * scores.size)
    edges = [cut] if oriented is None or len(chances) == LEAST_STRATA else [cut, oriented]
    strata = strata_of(scores, edges)
    drawn = patient_coins(everyone, seed, rule) < np.array(chances)[strata]
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
    warnings = (*texts_of(findings), *hidden_warnings(plan))
    warn_each(warnings, stacklevel=3)
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
    scores: FloatArray,
    cut: float,
    draw: int,
    prevalence: float | None,
    edge: float | None,
) -> tuple[float | None, list[float]]:
    """Return the lower edge and the probabilities for a number of labels."""
    check_count("draw", draw, at_least=10)
    if draw >= scores.size:
        raise BadOption(
            f"{argument('draw', draw)} must be below the number of patients ({scores.size}). "
            "Label all of them instead, and audit without a plan."
        )
    home, share = home_scores(rule), float(prevalence or 0.5)
    if min(home.positive[0], home.negative[0]) >= cut:
        raise BadOption(
            "the rule called everybody at the first hospital, so a number of labels cannot be "
            f"shared out; give {argument('probabilities', '1,0.5')} instead."
        )
    edge = lower_edge(home, cut, share, draw) if edge is None else edge
    edges = [cut] if edge is None else [cut, edge]
    sizes = np.bincount(strata_of(scores, edges), minlength=len(edges) + 1)
    return edge, chances_for(Expected.of(home, edges, share, draw).ratios, sizes, draw)


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
        raise BadOption(
            f"{argument('probabilities')} must be above 0 for called patients: without their "
            "labels nothing is known about the rule."
        )
    if edge is not None and len(found) == LEAST_STRATA:
        msg = f"{argument('edge')} makes three strata; give three {argument('probabilities')}."
        raise BadOption(msg)
    return [float(one) for one in found]


def patient_coins(patients: PatientScores, seed: int, rule: FrozenRule) -> FloatArray:
    """Return the coin of each patient by the seed and the rule; refuse rows without identifiers."""
    if patients.patients is None:
        raise BadPatients(
            f"a labelling plan needs the identifiers of the patients; give {argument('patients')}."
        )
    return coins(patients.patients.tolist(), seed, str(rule.document.sha256))


def _expected_labels(plan: LabelPlan) -> tuple[float, float, float]:
    """Return how many labels the coins give on average, and in 95 of 100 plans."""
    chances = np.repeat(plan.chances, [one.patients for one in plan.strata])
    mean, sd = float(chances.sum()), float(np.sqrt((chances * (1 - chances)).sum()))
    low, high = max(mean - 1.96 * sd, 0.0), min(mean + 1.96 * sd, chances.size)
    return mean, float(np.floor(low)), float(np.ceil(high))


def hidden_warnings(plan: LabelPlan) -> list[str]:
    """Warn of strata of which nobody is labelled."""
    return [
        Warned.of("no labels")(
            f"the plan labels none of the {one.patients} patients of the stratum '{one.name}', so "
            "how many of them are ill cannot be known. The upper limit of the miss rate counts all "
            "of them as ill."
        )
        for one in plan.strata
        if not one.chance and one.patients
    ]
