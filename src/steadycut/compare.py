"""The paper's table: every rule chooses at hospital P, and is judged at hospital Q."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts import exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.risk_curve import count_errors, risk_at_cuts
from steadycut.errors import BadPatients, PatientOverlap
from steadycut.study import Options, Progress, Study, as_candidates, check_same_patients, fit
from steadycut.summary import chain_summary

RULES = ("stable", "erm", "youden", "sensitivity:0.95", "specificity:0.90")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Row:
    """One rule: its study at P and what it does at Q.

    ``best_external`` is the smallest risk that any cut of the same score has at Q: nobody can
    know that cut before, so it is a yardstick and not a rule.
    """

    study: Study
    external: Confusion
    flip_rate: float
    best_external: float

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain numbers; ``shift`` is R_Q - R_validation, as in the paper."""
        study, costs = self.study, self.study.options.search.costs
        risk = self.external.risk(costs)
        return {
            "rule": study.options.search.rule,
            "score": study.chosen.recipe.score,
            "aggregation": chain_summary(study.chosen.recipe),
            "threshold": study.threshold,
            "operating_value": study.operating_value,
            "risk_external": risk,
            "risk_external_se": self.external.standard_error(costs),
            "risk_validation": study.counts.risk(costs),
            "risk_validation_se": study.counts.standard_error(costs),
            "shift": risk - study.counts.risk(costs),
            "penalty": study.chosen.penalty,
            "modulus": study.chosen.modulus,
            "flip_rate": self.flip_rate,
            "certificate": study.certificate.value,
            "sensitivity_external": _complement(self.external.miss_rate),
            "specificity_external": _complement(self.external.alarm_rate),
            "best_external": self.best_external,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison:
    """The rows of the table, and the two hospitals that they are about."""

    rows: tuple[Row, ...]
    options: Options
    n_internal: int
    n_external: int
    trivial_external: float

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``compare.json``."""
        costs = self.options.search.costs
        return {
            "schema": "steadycut.compare/1",
            "costs": {"cost_fn": costs.cost_fn, "cost_fp": costs.cost_fp},
            "patients": {"internal": self.n_internal, "external": self.n_external},
            "trivial_external": self.trivial_external,
            "seed": self.options.seed,
            "rows": [row.to_dict() for row in self.rows],
        }


def compare(
    internal: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores],
    external: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores],
    *,
    rules: Sequence[str] = RULES,
    progress: Progress | None = None,
    **options: Any,  # noqa: ANN401
) -> Comparison:
    """Let every rule choose a cut-off at P, and see what it does at Q.

    Parameters
    ----------
    internal, external
        Patients of hospital P and of hospital Q, with labels; the same candidates in the same
        order for both. Nothing is chosen on Q.
    rules
        The rules to compare.
    progress
        Called with a text, the number of steps done and the number of steps.
    **options
        Options of `steadycut.fit`, the same for every rule.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> p = PatientScores(scores=rng.normal(size=300) + 2 * y, labels=y)
    >>> q = PatientScores(scores=rng.normal(size=300) + 2 * y + 0.5, labels=y)
    >>> table = compare(p, q, rules=["erm", "youden"])
    >>> [row["rule"] for row in table.to_dict()["rows"]]
    ['erm', 'youden']
    """
    here, there = as_candidates(internal), as_candidates(external)
    check_disjoint(here, there)
    check_same_patients(there)
    if not rules or not there[0].n_patients:
        msg = "a comparison needs at least one rule and one external patient."
        raise BadPatients(msg)
    rows = []
    for done, rule in enumerate(rules):
        if progress:
            progress(f"rule {rule}", done, len(rules))
        rows.append(judge(fit(here, rule=rule, **options), here, there))
    settings = rows[0].study.options
    return Comparison(
        rows=tuple(rows),
        options=settings,
        n_internal=here[0].n_patients,
        n_external=there[0].n_patients,
        trivial_external=rows[0].external.trivial_risk(settings.search.costs),
    )


def judge(study: Study, internal: list[PatientScores], external: list[PatientScores]) -> Row:
    """Return what the frozen cut-off of a study does at Q."""
    options = study.options
    here = next(i for i, one in enumerate(internal) if one is study.patients)
    there = external[here].oriented(options.direction)
    return Row(
        study=study,
        external=confusion_at(there, study.chosen.threshold),
        flip_rate=float(study.flip_probability(external[here].scores).mean()),
        best_external=smallest_risk(there, options.search.costs),
    )


def smallest_risk(patients: PatientScores, costs: Costs) -> float:
    """Return the smallest risk of any cut."""
    return float(risk_at_cuts(count_errors(exact_cuts(patients).cells), costs).min())


def check_disjoint(internal: list[PatientScores], external: list[PatientScores]) -> None:
    """Refuse two lists of candidates that do not match, or that share a patient."""
    names = [
        [one.recipe.score + str(one.recipe.chain) for one in side] for side in (internal, external)
    ]
    if names[0] != names[1]:
        msg = "both hospitals must have the same candidates (score, aggregator) in the same order."
        raise BadPatients(msg)
    if internal[0].patients is None or external[0].patients is None:
        return
    shared = np.intersect1d(internal[0].patients, external[0].patients).size
    if shared:
        msg = (
            f"internal and external patients must differ; {shared} of them appear at both "
            "hospitals. Check the patient and the site column."
        )
        raise PatientOverlap(msg)


def _complement(rate: float | None) -> float | None:
    return None if rate is None else 1 - rate
