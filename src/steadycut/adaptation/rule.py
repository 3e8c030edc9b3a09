"""The new frozen rule, with the hash of its parent."""

from collections.abc import Sequence

import numpy as np

from steadycut.adaptation.before import Situation
from steadycut.adaptation.labels import Judged, labels_of, refitted_at
from steadycut.core.adapt.menu import nearest
from steadycut.core.adapt.refit import Labels, Stated
from steadycut.core.checks import FloatArray
from steadycut.core.diagnose import flip_rate
from steadycut.core.records import PatientScores
from steadycut.documents.known_patients import Remembered
from steadycut.documents.parts import CertificatePart, CostsPart, StabilityPart
from steadycut.documents.rule import AdaptedPart, FrozenRule
from steadycut.errors import Warned
from steadycut.ingest.request import site_hash
from steadycut.study.reference import reference_of

# With very many labels there are fewer draws: the cut-off hardly moves then.
N_BOOTSTRAP, LEAST_BOOTSTRAP, MOST_DRAWN = 200, 20, 2_000_000
NO_LABELS = "none, without labels"


def adapted_rule(
    there: Situation,
    cut: float,
    judged: Judged | None,
    used: PatientScores | None,
    seen: Sequence[PatientScores] = (),
    remembered: Remembered | None = None,
) -> FrozenRule:
    """Return the new frozen rule, with the hash of its parent.

    With labels its reference are the ``used`` patients; without, those of the first hospital. It
    recognises the first of those who were ``seen`` with labels, or all who are ``remembered``.
    """
    parent = there.rule.document
    threshold, draws = there.value(cut), bootstrap_cuts(there, used)
    scores = [there.rule.sign * there.pool.scores]
    changed: dict[str, object] = {}
    if judged is not None and used is not None:
        scores.append(used.scored.scores)
        changed["reference"] = reference_of(judged.used, used, used.scored.n_instances)
        sites = set() if used.sites is None else set(map(site_hash, used.sites.tolist()))
        changed["provenance"] = parent.provenance.model_copy(
            update={
                "data_sha256": next(iter(seen), used).fingerprint(),
                "sites": sorted({*parent.provenance.sites, *sites}),
            }
        )
    everyone = np.concatenate(scores)
    flips = flip_rate(there.pool.scores, cut, there.rule.sign * draws)
    # For distances, calling everybody or nobody lies at the outermost score.
    ends = {"neginf": everyone.min(), "posinf": everyone.max()}
    placed = np.nan_to_num(threshold, **ends), np.nan_to_num(draws, **ends)
    changed |= {
        "sha256": None,
        "threshold": threshold,
        "operating_value": threshold if np.isfinite(threshold) else None,
        "target_prevalence": None,
        "rule": "adapted",
        "score_range": (float(everyone.min()), float(everyone.max())),
        "bootstrap_thresholds": draws.tolist(),
        "certificate": certificate_here(there, judged),
        "certified_rates": None,
        "remembered_patients": remembered or parent.remembered_patients,
        "stability": stability_here(parent.stability, *placed, flips),
        "adapted": AdaptedPart(
            parent=str(parent.sha256),
            menu=there.menu_sha256,
            pool=there.pool.scores.size,
            labelled=0 if judged is None else judged.used.n_patients,
            choosing=0 if judged is None else judged.n_choosing,
            sequential=judged is not None and judged.path is not None,
            prevalence=there.prevalence,
        ),
    }
    return FrozenRule(parent.model_copy(update=changed))


def certificate_here(there: Situation, judged: Judged | None) -> CertificatePart:
    """Return what is certified here; without labels only what is true of every rule."""
    costs = there.costs
    if judged is None:
        stated = there.stated.prevalence if there.stated else there.home.prevalence
        risk = trivial = CostsPart.of(costs).trivial_risk(stated)
        value, delta, n_patients, bound = costs.largest, there.rule.certificate.delta, 0, NO_LABELS
    else:
        used, value, delta = judged.used, judged.limit, judged.delta
        risk, trivial, n_patients = used.risk(costs), used.trivial_risk(costs), used.n_patients
        bound = "betting at every look" if judged.path is not None else "buehler"
    return CertificatePart(
        risk=risk,
        bound=bound,
        generalization=value - risk,
        n_patients=n_patients,
        delta=delta,
        value=value,
        vacuous=value >= trivial,
        trivial_risk=trivial,
        honesty="menu",
        n_candidates=len(there.menu),
    )


def bootstrap_cuts(there: Situation, used: PatientScores | None) -> FloatArray:
    """Return the cut-offs that other samples would give.

    With labels these patients are drawn again, and choose from the same menu. Without labels the
    pool and the patients of the first hospital are drawn again, by what is known of their scores.
    """
    rng = np.random.default_rng(there.rule.document.provenance.seed)
    if used is not None:
        labels = labels_of(there.rule, used)
        n_draws = int(np.clip(MOST_DRAWN // labels.labels.size, LEAST_BOOTSTRAP, N_BOOTSTRAP))
        cuts = [_drawn_choice(there, labels, rng) for _ in range(n_draws)]
    elif there.prevalence is None or not there.shift:
        return np.array(there.rule.document.bootstrap_thresholds)
    else:
        counts = there.model.counts(there.pool.scores)
        cuts = [_drawn_shift(there, counts, there.prevalence, rng) for _ in range(N_BOOTSTRAP)]
    return there.rule.sign * np.array(cuts)


def _drawn_choice(there: Situation, labels: Labels, rng: np.random.Generator) -> float:
    drawn = rng.integers(0, labels.labels.size, labels.labels.size)
    again = Labels(scores=labels.scores[drawn], labels=labels.labels[drawn])
    return there.menu[nearest(there.pool, there.menu, refitted_at(there, again))].cut


def _drawn_shift(
    there: Situation, counts: FloatArray, prevalence: tuple[float, float], rng: np.random.Generator
) -> float:
    model, size = there.model.drawn(rng), int(counts.sum())
    patients = rng.multinomial(size, counts / size).astype(float)
    return there.at_shift(Stated.of(model, patients, prevalence).shift, model)


def stability_here(
    before: StabilityPart, threshold: float, draws: FloatArray, flip_rate: float
) -> StabilityPart:
    """Return how far the cut-off moves between samples; its penalty is not computed."""
    moved = np.abs(draws - threshold)
    return before.model_copy(
        update={
            "radius": float(np.quantile(moved, 0.9)),
            "bias": float(draws.mean() - threshold),
            "quantile": float(np.quantile(moved, 0.9)),
            "modulus": 0.0,
            "penalty": 0.0,
            "flip_rate": flip_rate,
            "n_bootstrap": draws.size,
            "warnings": [Warned("", "The cost of an adapted cut-off's moves is not computed.")],
        }
    )
