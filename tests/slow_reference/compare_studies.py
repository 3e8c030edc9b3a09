"""Whole studies and audits: every published figure again, from the draws and roles of the study."""

import random

import numpy as np

from steadycut import PatientScores, audit
from steadycut.core.bounds.multiscale import window_level
from steadycut.study.fitted import results_left_out
from steadycut.study.options import study_options
from tests.slow_reference import bounds, cuts, risks, shift, stability
from tests.slow_reference.any_scores import fit
from tests.slow_reference.compare_cuts import costs_of, erm_rank
from tests.slow_reference.differences import all_differ, differ

N_DRAWS = 7
MARGINS = {
    "hoeffding": bounds.hoeffding,
    "dkw": bounds.dkw,
    "clopper-pearson": bounds.clopper_pearson,
    "compression": bounds.compression,
}


def study_of(cohort, **options):
    """Return a study by erm on the exact cuts; None where two patients a class are missing."""
    ill = sum(cohort.labels)
    if min(ill, len(cohort.labels) - ill) < 2:
        return None
    patients = PatientScores(scores=cohort.scores, labels=cohort.labels, sites=cohort.sites)
    own = {
        "rule": "erm",
        "grid": "exact",
        "n_bootstrap": N_DRAWS,
        "direction": cohort.direction,
        "cost_fn": cohort.cost_fn,
        "cost_fp": cohort.cost_fp,
        "delta": cohort.delta,
        "seed": cohort.seed,
    }
    return fit(patients, **(own | options))


def honesty_of(cohort):
    equal = cohort.cost_fn == cohort.cost_fp
    if cohort.seed % 2:
        return {"honesty": "uniform", "bound": "compression" if equal else "dkw"}
    return {"honesty": "split", "bound": "clopper-pearson" if equal else "hoeffding"}


def oriented(cohort, places):
    """Return scores, turned so that large ones are called, and labels."""
    sign = 1 if cohort.direction == "ge" else -1
    return [sign * cohort.scores[i] for i in places], [cohort.labels[i] for i in places]


def roles(cohort):
    """Everybody has a role, one in split and both in uniform."""
    study = study_of(cohort, **honesty_of(cohort))
    if study is None:
        return
    select, certify = (sorted(role.tolist()) for role in (study.roles.select, study.roles.certify))
    everyone = list(range(len(cohort.scores)))
    wanted = [everyone] if cohort.seed % 2 == 0 else [everyone, everyone]
    got = [sorted(select + certify)] if cohort.seed % 2 == 0 else [select, certify]
    yield from differ("roles", got == wanted, 1)


def figures(cohort):
    """The cut-off, its stability and its certificate."""
    options = honesty_of(cohort)
    study = study_of(cohort, **options)
    if study is None:
        return
    found = study.to_dict()
    sign = 1 if cohort.direction == "ge" else -1
    scores, labels = oriented(cohort, study.roles.select.tolist())
    costs = cohort.cost_fn, cohort.cost_fp
    threshold = sign * study.threshold
    rank = erm_rank(scores, labels, *costs, None)
    # In `uniform` the cut is moved to just below a score, and scores as near go with it.
    apart = cohort.kind not in {"last bits", "denormal"} or options["honesty"] == "split"
    if apart:
        yield from differ("patients below the cut-off", cuts.rank_of(scores, threshold), rank)
    if cohort.kind not in {"last bits", "denormal"}:
        yield from differ(
            "is a score", threshold in oriented(cohort, range(len(cohort.scores)))[0], 0
        )
    value = cuts.operating_value(scores, threshold)
    wanted = None if value is None else sign * value
    yield from differ("operating value", found["operating_value"], wanted)
    at = risks.counts_at(scores, labels, threshold)
    yield from differ("risk", found["risk"], risks.risk(at, *costs), 1e-12, 1e-15)
    yield from stability_figures(cohort, study, found, (scores, labels))
    yield from certificate_figures(cohort, study, found, options["bound"])


def stability_figures(cohort, study, found, chose):
    draws, costs = study.bootstrap_thresholds.tolist(), (cohort.cost_fn, cohort.cost_fp)
    own, size = found["stability"], max(1e-12 * max(map(abs, cohort.scores)), 2e-323)
    sign = 1 if cohort.direction == "ge" else -1
    # Draws lie midway between scores; so does the cut-off before it is published.
    middle = cuts.on_scale(chose[0], study.chosen.draws.threshold)
    places = [sign * cuts.on_scale(chose[0], sign * draw) for draw in draws]
    wanted = stability.radius(sign * middle, places, cohort.delta)
    got = own["bias"], own["quantile"], own["radius"]
    yield from all_differ("bias, quantile, radius", got, wanted, 1e-9, size)
    modulus = stability.modulus(*chose, own["radius"], *costs)
    yield from differ("modulus", own["modulus"], modulus, 1e-9)
    n = len(chose[0])
    band = stability.multiscale_band(
        *chose, own["radius"], *costs, lambda parts: window_level(n, cohort.delta / parts)
    )
    yield from differ("penalty", own["penalty"], band, 1e-7)
    judged, _ = oriented(cohort, study.roles.certify.tolist())
    turned = [sign * draw for draw in draws]
    flips = [stability.flip_probability(s, sign * study.threshold, turned) for s in judged]
    yield from differ("flip rate", own["flip_rate"], sum(flips) / len(flips), 1e-9)


def certificate_figures(cohort, study, found, bound):
    scores, labels = oriented(cohort, study.roles.certify.tolist())
    sign = 1 if cohort.direction == "ge" else -1
    counts = risks.counts_at(scores, labels, sign * study.threshold)
    costs = cohort.cost_fn, cohort.cost_fp
    own = found["certificate"]
    risk = risks.risk(counts, *costs)
    yield from differ("certified risk", own["risk"], risk, 1e-12, 1e-15)
    margin = MARGINS[bound](counts, *costs, cohort.delta)
    yield from differ("generalization", own["generalization"], margin, 1e-9, 1e-12)
    yield from differ("value", own["value"], float(risk) + margin, 1e-9)
    trivial = risks.trivial_risk(counts, *costs)
    yield from differ("trivial risk", own["trivial_risk"], trivial, 1e-12)


def candidates(cohort):
    """Of two candidates the one with the smaller risk, or the smaller J, or risk at other sites."""
    ill = sum(cohort.labels)
    if min(ill, len(cohort.labels) - ill) < 2:
        return
    rng = random.Random(cohort.seed)  # noqa: S311
    other = [float(rng.randint(0, 9) + 3 * y) for y in cohort.labels]
    pair = [
        PatientScores(scores=s, labels=cohort.labels, sites=cohort.sites)
        for s in (cohort.scores, other)
    ]
    selector = rng.choice(["risk", "objective"])
    study = fit(
        pair, rule="erm", grid="exact", n_bootstrap=N_DRAWS, selector=selector,
        cost_fn=cohort.cost_fn, cost_fp=cohort.cost_fp, bound="hoeffding",
    )  # fmt: skip
    chose = study.roles.select.tolist()
    labels = [cohort.labels[i] for i in chose]
    keys = []
    for scores, one in zip((cohort.scores, other), study.candidates, strict=True):
        own = [scores[i] for i in chose]
        values = [*cuts.distinct(own), float("inf")]
        tables = [risks.counts_at(own, labels, v) for v in values]
        smallest = min(risks.risk(t, cohort.cost_fn, cohort.cost_fp) for t in tables)
        yield from differ("smallest risk", one.smallest_risk, smallest, 1e-12, 1e-15)
        yield from differ("J", one.objective, float(smallest) + one.penalty, 1e-9)
        keys.append((one.objective if selector == "objective" else float(smallest), smallest))
    tie = 1e-9 * max(cohort.cost_fn, cohort.cost_fp)
    if abs(keys[0][0] - keys[1][0]) > tie:
        best = min(range(2), key=lambda i: keys[i])
        yield from differ("chosen", study.candidates.index(study.chosen), best)


def other_sites(cohort):
    """The risk at each site of the cut that the others choose together."""
    names = sorted(set(cohort.sites))
    if len(names) < 2:
        return
    patients = PatientScores(scores=cohort.scores, labels=cohort.labels, sites=cohort.sites)
    costs = cohort.cost_fn, cohort.cost_fp
    options = study_options(rule="erm", cost_fn=costs[0], cost_fp=costs[1])
    everyone = np.arange(patients.n_patients)
    results = results_left_out([patients], options, everyone, patients.recipe)
    found = [one.counts.risk(costs_of(cohort, None)) for one in results]
    rows = list(zip(cohort.scores, cohort.labels, cohort.sites, strict=True))
    wanted = []
    for name in names:
        scores, labels, _ = zip(*(row for row in rows if row[2] != name), strict=True)
        if len(set(labels)) < 2:
            return
        rank = erm_rank(scores, labels, *costs, None)
        cut = cuts.midway(scores, rank)
        here = [row for row in rows if row[2] == name]
        counts = risks.counts_at([r[0] for r in here], [r[1] for r in here], cut)
        wanted.append(risks.risk(counts, *costs))
    if cohort.kind not in {"last bits", "denormal"}:
        yield from all_differ("left out", found, wanted, 1e-12, 1e-15)


def distances_of(cohort, found, home, there):
    """The distances at all cut-offs, and the limit on Shift made of them."""
    costs = cohort.cost_fn, cohort.cost_fp
    apart = []
    for y in (1, 0):
        classes = (
            [cohort.scores[i] for i in who if cohort.labels[i] == y] for who in (home, there)
        )
        apart.append(shift.kolmogorov(*classes))
    got = found["distances"]
    named = [got["kolmogorov_positive"], got["kolmogorov_negative"]]
    yield from all_differ("Kolmogorov", named, apart, 1e-12, 1e-12)
    ill = [[cohort.labels[i] for i in who] for who in (home, there)]
    pi, pi_there = (risks.Fraction(sum(labels), len(labels)) for labels in ill)
    gap = abs(pi - pi_there)
    yield from differ("total variation", got["total_variation"], float(gap), 1e-12, 1e-12)
    limit = sum(costs) * gap + costs[0] * pi * apart[0] + costs[1] * (1 - pi) * apart[1]
    yield from differ("limit of Shift", got["limit"], float(limit), 1e-9, 1e-12)
    yield from differ("limit of Shift >= Shift", got["limit"] >= found["total"] - 1e-12, 1)


def audits(cohort):
    """Base, the valid form, Augmented, the direct bound and the verdict."""
    if cohort.cost_fn != cohort.cost_fp:
        return
    study = study_of(cohort, bound="clopper-pearson")
    if study is None:
        return
    rng = random.Random(cohort.seed)  # noqa: S311
    places = [rng.randrange(len(cohort.scores)) for _ in range(20)]
    scores, labels = [cohort.scores[i] for i in places], [cohort.labels[i] for i in places]
    found = audit(study.freeze(), scores, labels).to_dict()
    sign = 1 if cohort.direction == "ge" else -1
    threshold = sign * study.threshold
    there = risks.counts_at(oriented(cohort, places)[0], labels, threshold)
    home = risks.counts_at(*oriented(cohort, study.roles.certify.tolist()), threshold)
    costs, delta = (cohort.cost_fn, cohort.cost_fp), cohort.delta
    risk = float(risks.risk(there, *costs))
    direct = risk + bounds.clopper_pearson(there, *costs, delta)
    yield from differ("risk there", found["risk_external"], risk, 1e-12, 1e-15)
    yield from differ("direct bound", found["bound_external"], direct, 1e-9)
    certified = study.certificate.value
    tp, fn, fp, _ = there
    lower = costs[0] * bounds.lower_limit(fn + fp, sum(there), delta)
    answer = found["verdict"]["within_certificate"]
    if abs(direct - certified) > 1e-9:
        shown = direct <= certified and not study.certificate.vacuous
        yield from differ("within the certificate", (answer == "yes") == shown, 1)
    if lower <= certified - 1e-9:
        yield from differ("not within the certificate", answer != "no", 1)
    rates = [shift.rates(home), shift.rates(there)]
    if None in rates[0] + rates[1]:
        return
    total = float(sum(shift.absolute(*rates, *map(risks.Fraction, costs))))
    yield from differ("Shift", found["shift"]["total"], total, 1e-9, 1e-12)
    base = float(risks.risk(home, *costs)) + bounds.paper(home, *costs, delta) + total
    yield from differ("Base", found["base"], base, 1e-9)
    yield from differ("certified + Shift", found["base_exact"], certified + total, 1e-9)
    valid = float(risks.risk(home, *costs)) + total + direct - risk
    yield from differ("valid", found["base_valid"], valid, 1e-9)
    penalty = study.to_dict()["stability"]["penalty"]
    yield from differ("with penalty", found["augmented_exact"], certified + total + penalty, 1e-9)
    chose = [cohort.labels[i] for i in study.roles.select.tolist()]
    width = stability.dkw_band_width(sum(chose), len(chose) - sum(chose), *costs, delta)
    augmented = base + study.to_dict()["stability"]["modulus"] + width
    yield from differ("Augmented", found["augmented"], augmented, 1e-9)
    yield from distances_of(cohort, found["shift"], study.roles.certify.tolist(), places)
    flips = [
        stability.flip_probability(s, study.threshold, study.bootstrap_thresholds.tolist())
        if sign == 1
        else stability.flip_probability(-s, threshold, (-study.bootstrap_thresholds).tolist())
        for s in scores
    ]
    yield from differ("flip rate there", found["flip_rate"], sum(flips) / len(flips), 1e-9)
    yield from differ("call rate there", found["call_rate"], (tp + fp) / sum(there), 1e-12)
