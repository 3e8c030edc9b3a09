"""What an audit found, and what is written about it: ``audit.json``, for every kind of file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from steadycut.core.bounds.anytime import lower_mean, upper_mean
from steadycut.core.bounds.binomial import two_sided
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.frames import Columns
from steadycut.core.intervals.auc import auc
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rounding import percent
from steadycut.core.rules.registry import most_called
from steadycut.core.shift.parts import Distances, global_distances, kolmogorov
from steadycut.core.strata.certify import BoundaryCertificate, certify_boundaries
from steadycut.core.verdict import MARGIN, Answer, Comparison, RateName, Verdict
from steadycut.documents import audit, parts
from steadycut.documents.frozen import FrozenFile, Reference
from steadycut.documents.guards import OWN_PATIENTS
from steadycut.documents.next_step import NextStep
from steadycut.documents.shown import LOOK, columns_of, point_columns
from steadycut.documents.strata import BetweenPart, RatePart
from steadycut.errors import kind_of
from steadycut.study.explorer import GREY_ZONE, explorer_part
from steadycut.study.judge import ChangeOfRisk, Group, LabelledPart
from steadycut.study.new_patients import Decided
from steadycut.study.operating_point import CONFIDENCE, point_of, point_part, with_auc
from steadycut.study.questions import described, label_some, name_of, next_step

OPEN = Verdict(useful="cannot tell", as_before="cannot tell", within_certificate="cannot tell")
# What is known for two grades and two actions only.
BOUNDS = ("base", "base_valid", "augmented", "base_exact", "augmented_exact")
TWO_BY_TWO = (
    *("operating_point", "operating_point_internal", "shift", "gamma", "g_boot", "auc_internal"),
    "explorer",
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit(Decided):
    """What a frozen file decided about the patients of another hospital.

    ``scores`` are quantiles of their scores, by class where labels are known. ``unlabelled`` is
    None for files that do not hold the scores of the certifying patients. ``survival`` is known
    where labels were made from a follow-up. ``label_how`` is ``any`` if one positive row makes a
    patient positive.
    """

    flip_probability: FloatArray
    scores: parts.ScoresPart
    unlabelled: audit.WithoutLabels | None
    labelled: LabelledPart | None
    small_cells: int | None = None
    margin: float = MARGIN
    sequential: bool = False
    survival: parts.SurvivalPart | None = None
    label_how: Literal["any"] | None = None
    sites: list[str] | None = None
    unscored: parts.UnscoredPart | None = None

    def __repr__(self) -> str:
        """Return the answer in a few lines; no patient is shown."""
        first = f"Audit of {self.n_patients} patients, {percent(self.call_rate, 0)} called"
        if self.labelled is None:
            return f"{first}; no labels, so no verdict\n{LOOK}"
        return f"{first}: {self.verdict.decision}\n{LOOK}"

    def describe(self, confidence: float = CONFIDENCE) -> audit.AuditDocument:
        """Return everything that was found, as one typed record.

        ``confidence`` is that of the intervals of the operating points.
        """
        return described_audit(self, confidence)

    def to_dict(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """Return the content of ``audit.json``; ``confidence`` is that of its intervals."""
        return self.describe(confidence).to_plain()

    @property
    def verdict(self) -> audit.VerdictPart:
        """What to do with the rule here, and the answers behind it."""
        part = self.labelled
        if part is None:
            return audit.VerdictPart.of(OPEN)
        reason = not_judged(self, part)
        decision = part.decision if reason is None else "not judged"
        return audit.VerdictPart.of(part.verdict, decision=decision, reason=reason)

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        document = self.describe()
        tables: dict[str, Callable[[], Columns]] = {}
        if isinstance(document, audit.LabelledCutOffAudit):
            points = document.operating_point, document.operating_point_internal
            tables["operating_point"] = lambda: point_columns(*points)
        if not document.questions:
            return {**tables, **super(Audit, self)._tables()}
        tables["questions"] = lambda: columns_of(document.questions)
        if isinstance(document, audit.LabelledAudit) and document.groups:
            groups = document.groups
            answers = columns_of([one.verdict for one in groups])
            tables["groups"] = lambda: {**columns_of(groups), **answers}
        return tables

    @property
    def call_rate(self) -> float:
        """The share of patients with any action but the lowest."""
        return float(self.members[1:].sum() / self.n_patients)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the patients."""
        return float(self.flip_probability.mean())

    @property
    def risk(self) -> float | None:
        """The average cost per patient that was seen here; None without labels."""
        return None if self.labelled is None else self.labelled.direct.risk

    @property
    def bound(self) -> float | None:
        """The upper limit of the average cost here; None without labels."""
        return None if self.labelled is None else self.labelled.direct.value


# What is written ---------------------------------------------------------------------------


def described_audit(found: Audit, confidence: float) -> audit.AuditDocument:
    """Return the audit of a frozen file of any kind, with the parts that make sense for it."""
    rule, part = found.rule, found.labelled
    known = _shared(found)
    cut_off = _cut_off(found)
    if part is None:
        known |= {**cut_off, **_unanswered(found)}
        model = audit.CutOffAudit if cut_off else audit.AuditDocument
        return model.of(rule, rule.document, found, **known)
    known |= {**_risk_here(found, part), **cut_off, **dict.fromkeys(TWO_BY_TWO)}
    if part.change is not None and rule.costs is not None:
        known |= _two_by_two(part, part.change, rule, rule.costs, confidence)
    if not cut_off or part.change is None:
        return audit.LabelledAudit.of(rule, found, **known)
    return audit.LabelledCutOffAudit.of(rule, rule.document, found, **known)


def _cut_off(found: Audit) -> dict[str, object]:
    """Return what the audit of one cut-off says besides; nothing for other files."""
    rule, unlabelled, reference = found.rule, found.unlabelled, found.rule.reference
    if unlabelled is None or reference is None:
        return {}
    return {
        **{name: part for name, part in unlabelled if name != "call_rate_internal"},
        "call_rate": found.call_rate,
        "threshold": rule.cut_off,
        "ensemble": ensemble_shares(rule),
        "scores_internal": parts.ScoresPart(
            positive=reference.quantiles_positive, negative=reference.quantiles_negative
        ),
    }


def ensemble_shares(rule: FrozenFile[Any]) -> parts.EnsembleShares | None:
    """Return the methods of an ensemble with their shares of the weight."""
    part = rule.document.ensemble
    if part is None:
        return None
    total = sum(method.weight for method in part.methods)
    methods = [
        parts.MethodShare(score=one.score, aggregation=one.aggregation, weight=one.weight / total)
        for one in part.methods
    ]
    return parts.EnsembleShares(kind=part.kind, methods=methods)


def explorer_here(rule: FrozenFile[Any], part: LabelledPart) -> parts.ExplorerPart | None:
    """Return the patients of an audit, counted at every cut-off of a short list."""
    draws = getattr(rule.document, "bootstrap_thresholds", None)
    if part.censored or rule.cut_off is None or rule.costs is None or draws is None:
        return None
    return explorer_part(
        part.patients,
        rule.sign * rule.cut_off,
        rule.sign * np.ravel(draws),
        rule.costs,
        delta=rule.certificate.delta,
        sign=rule.sign,
    )


def side_parts(rule: FrozenFile[Any], part: LabelledPart) -> list[parts.CertifiedRatePart]:
    """Return what the patients here show of each rate that was asked for."""
    asked, delta = rule.asked_rates, part.share * rule.certificate.delta
    compared = replace(part.comparison, certified=asked)
    answers: dict[RateName, Answer] = {}
    for name, value in asked.items():
        low, high = compared.certified_limits(name, delta)
        answers[name] = "yes" if low >= value else "no" if high < value else "cannot tell"
    return rate_parts(compared, answers, delta)


def boundary_audits(rule: FrozenFile[Any], counts: IntArray) -> list[audit.BoundaryAudit]:
    """Return the errors between neighbouring actions, here and before, with limits."""
    here, before = _boundaries(rule, counts), _boundaries(rule, rule.reference_counts)
    return [
        audit.BoundaryAudit.of(
            found,
            below=rule.actions[place],
            above=rule.actions[place + 1],
            miss_internal=None if home is None else home.miss,
            alarm_internal=None if home is None else home.alarm,
        )
        for place, (found, home) in enumerate(zip_longest(here, before))
    ]


def _boundaries(rule: FrozenFile[Any], counts: IntArray | None) -> tuple[BoundaryCertificate, ...]:
    if counts is None:
        return ()
    return certify_boundaries(counts, rule.cost_matrix, rule.certificate.delta)


def _shared(found: Audit) -> dict[str, object]:
    """Return what every audit says besides the attributes of the rule and of what was found."""
    rule, document, before = found.rule, found.rule.document, found.rule.reference_counts
    # Rounded, because 1 - 0.9 is a little less than 0.1.
    grey = int(np.count_nonzero(found.flip_probability.round(9) >= GREY_ZONE))
    between = BetweenPart.of_counts(found.members, rule.certificate.delta) if rule.sides else None
    return {
        **found.rule_facts(),
        "class_names": parts.names_part(rule.recipe.class_names),
        "score": document.columns.score,
        "aggregation": document.aggregation,
        "delta": rule.certificate.delta,
        "labelled": found.labelled is not None,
        "verdict": found.verdict,
        "sites": found.sites,
        "grey_zone": audit.GreyZonePart(
            patients=grey, share=grey / found.n_patients, at_least=GREY_ZONE
        ),
        "calls": calls_part(found),
        "call_rate_internal": None if before is None else Confusion.of_counts(before).call_rate,
        "shares_internal": None if before is None else (before.sum(axis=0) / before.sum()).tolist(),
        "between": between,
        "flip_rate": found.flip_rate,
        **dict.fromkeys(("frozen_rule", "first_site")),
    }


def calls_part(found: Audit) -> audit.CallsPart | None:
    """Return limits of the share called here; None where counts are rounded."""
    if found.small_cells is not None:
        return None
    called, n = int(found.members[1:].sum()), found.n_patients
    delta = found.rule.certificate.delta
    if found.sequential:
        values, counts = [0.0, 1.0], [n - called, called]
        low, high = lower_mean(values, counts, delta / 2), upper_mean(values, counts, delta / 2)
    else:
        low, high = two_sided(called, n, delta)
    capacity = most_called(str(getattr(found.rule.document, "rule", "")))
    within: Answer | None = None
    if capacity is not None:
        within = "yes" if high <= capacity else "no" if low > capacity else "cannot tell"
    return audit.CallsPart(
        low=low, high=high, level=1 - delta, capacity=capacity, within_capacity=within
    )


def _unanswered(found: Audit) -> dict[str, object]:
    """Return the verdict without labels: no question can be answered."""
    return {
        "questions": [],
        "next_step": label_some(found.rule, found.margin)
        if same_unit(found)
        else NextStep(verb="check", why="unit"),
    }


def same_unit(found: Audit) -> bool:
    """Whether the scores here seem to have the unit of the rule; labels do not help otherwise."""
    return not any(kind_of(warning) == "unit" for warning in found.warnings)


def not_judged(found: Audit, part: LabelledPart) -> audit.Reason | None:
    """Return why these patients say nothing about the rule, if they do not."""
    if not OWN_PATIENTS.isdisjoint(found.forced):
        return "own patients"
    if part.verdict.useful != "yes" and not same_unit(found):
        return "unit"
    same_score = any(kind_of(warning) == "score" for warning in found.warnings)
    return part.verdict.reason or ("one score" if same_score else None)


def _risk_here(found: Audit, part: LabelledPart) -> dict[str, object]:
    """Return what labels say for every kind: the risk, its bound and the verdict."""
    before = found.rule.certificate if part.change is None else part.change.internal
    counts = found.rule.reference_counts
    return {
        **paper_bounds(found.rule, part),
        "risk_external": part.direct.risk,
        "risk_external_se": part.standard_error,
        "risk_internal": before.risk,
        "bound_external": part.direct.value,
        "bound": part.direct.bound,
        "vacuous": part.direct.vacuous,
        "lower_external": part.comparison.lowest_cost(found.rule.certificate.delta),
        "counts": part.comparison.here.tolist(),
        "counts_internal": None if counts is None else counts.tolist(),
        "boundaries": boundary_audits(found.rule, part.comparison.here),
        "sides": side_parts(found.rule, part) or None,
        **_answers(found, part),
    }


def paper_bounds(rule: FrozenFile[Any], part: LabelledPart) -> dict[str, float | None]:
    """Return the bounds of the paper and their like; None where they are not known.

    ``base`` is the paper's: the risk before, its allowance for chance and the shift. ``base_exact``
    is the certified risk plus the shift. Both are as if the shift were known. ``base_valid`` allows
    for its error with the margin here. The augmented ones add the penalty of the rule.
    """
    change = part.change
    if change is None:
        return dict.fromkeys(BOUNDS)
    before, moved = change.internal, change.shift.total
    base, exact = before.risk + sum(change.gamma) + moved, before.value + moved
    penalty, paper_penalty = rule.penalty, rule.paper_penalty
    return {
        "base": base,
        "base_valid": before.risk + moved + part.direct.generalization,
        "augmented": None if paper_penalty is None else base + paper_penalty,
        "base_exact": exact,
        "augmented_exact": None if penalty is None else exact + penalty,
    }


def _answers(found: Audit, part: LabelledPart) -> dict[str, object]:
    """Return the verdict with its reasons and the next step, and that of every group."""
    worst, reason = part.worst, not_judged(found, part)
    questions = described(found.rule, part)
    return {
        "questions": questions,
        "next_step": next_step(found.rule, part, questions)
        if reason is None or reason == "no score"
        else NextStep(verb="check", why=reason),
        "groups": group_parts(part.groups, found.rule.certificate.delta),
        "worst_group": None if worst is None else name_of(worst),
        "failing": [name_of(one) for one in part.failing] or None,
        "certified_rates": rate_parts(
            part.comparison, part.verdict.rates, part.share * found.rule.certificate.delta
        )
        or None,
    }


def rate_parts(
    compared: Comparison, answers: Mapping[RateName, Answer], delta: float
) -> list[parts.CertifiedRatePart]:
    """Return each rate that was certified, with its limits and its answer here."""
    found = []
    for name, answer in answers.items():
        right = compared.certified_errors[name].opposite
        low, high = compared.certified_limits(name, delta)
        found.append(
            parts.CertifiedRatePart(
                rate=name,
                asked=compared.certified[name],
                right=right.wrong,
                n_patients=right.n_patients,
                observed=right.value,
                lower=low,
                upper=1.0 if compared.rounded else high,
                answer=answer,
            )
        )
    return found


def group_parts(groups: Sequence[Group], delta: float) -> list[audit.GroupPart]:
    """Return every site and subgroup as it is written."""
    # As for their verdicts: half of delta, shared by the groups.
    share = delta / 2 / max(len(groups), 1)
    return [
        audit.GroupPart.of(
            one,
            n_patients=int(one.comparison.here.sum()),
            counts=one.comparison.here.tolist(),
            cost=one.comparison.observed_cost,
            cost_limit=one.comparison.highest_cost(share),
            rates=[RatePart.of(rate) for rate in one.comparison.limited_rates(share)],
        )
        for one in groups
    ]


def auc_of_quantiles(reference: Reference, sign: float) -> float | None:
    """Return the area under the ROC curve of the first hospital, from the stored quantiles.

    ``sign`` is -1 where low scores are called. The area is within about 0.01 of that of the scores
    themselves, which the file does not hold.
    """
    positive, negative = reference.quantiles_positive, reference.quantiles_negative
    if not positive or not negative:
        return None
    scores = sign * np.array([*positive, *negative])
    labels = np.repeat([1, 0], [len(positive), len(negative)])
    return auc(PatientScores(scores=scores, labels=labels))


def _two_by_two(
    part: LabelledPart, change: ChangeOfRisk, rule: FrozenFile[Any], costs: Costs, confidence: float
) -> dict[str, object]:
    """Return what two grades and two actions add: operating points, parts of the change."""
    reference = rule.reference
    here = with_auc(point_of(part.comparison.confusion, costs, confidence), part.patients)
    before = point_of(change.reference, costs, confidence, rule.n_choices)
    return {
        "operating_point": point_part(here),
        "operating_point_internal": point_part(before),
        "shift": audit.ShiftPart.of(
            change.shift, change, distances=distances_here(part, change, rule, costs)
        ),
        "gamma": audit.GammaPart(**change.gamma._asdict(), total=sum(change.gamma)),
        "g_boot": rule.paper_penalty,
        "auc_internal": None if reference is None else auc_of_quantiles(reference, rule.sign),
        "explorer": explorer_here(rule, part),
    }


def distances_here(
    part: LabelledPart, change: ChangeOfRisk, rule: FrozenFile[Any], costs: Costs
) -> Distances | None:
    """Return how far apart the hospitals are; None if the file holds no scores of the first."""
    home, here = rule.reference, part.patients
    if home is None:
        return None
    before, here = change.reference, here.usable
    pairs = (
        (home.quantiles_positive, sum(home.bins.positive), here.positive_scores),
        (home.quantiles_negative, sum(home.bins.negative), here.negative_scores),
    )
    apart = [kolmogorov(np.array(q), n, rule.sign * scores) for q, n, scores in pairs]
    return global_distances(before, part.comparison.confusion, costs.plain, *apart)
