"""Studies and audits that the tests of figures and pages share, as plain content."""

import json
from dataclasses import replace
from functools import cache

import numpy as np

from steadycut import PatientScores, adapt, audit, compare, fit, monitor
from steadycut.core.records import Recipe


def cohort(n, seed, *, moved=0.0, positive=0.4, ties=False, name="tumour_score", how="mean"):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < positive).astype(int)
    labels[:2], labels[2:4] = 1, 0
    # Other aggregators give the same patients other scores.
    scores = np.random.default_rng([seed, len(how)]).normal(size=n) + 2 * labels + moved
    if ties:
        scores = np.round(scores)
    recipe = Recipe(score=name, levels=(("slide", "max"),), how=how)
    return PatientScores(scores=scores, labels=labels, recipe=recipe)


def turned(patients, direction):
    """The same patients with scores that speak for the disease in this direction."""
    return replace(patients, scores=-patients.scores) if direction == "le" else patients


def as_json(content):
    """The content as it comes back from a file; fresh at every call."""
    return json.loads(json.dumps(content))


@cache
def _study(**options):
    options = {"n_bootstrap": 50, **options}
    several = [cohort(160, 1), cohort(160, 1, how="quantile:0.9")]
    return fit([turned(one, options.get("direction")) for one in several], **options)


def study(**options):
    return as_json(_study(**options).to_dict())


def large_study():
    """So many patients that a picture has bars instead of marks."""
    return as_json(fit(cohort(4000, 4), n_bootstrap=20).to_dict())


@cache
def _probability():
    patients = cohort(240, 6)
    scores = 1 / (1 + np.exp(1.5 - patients.scores))
    return fit(PatientScores(scores=scores, labels=patients.labels), n_bootstrap=20)


def probability_study():
    """A study of a score that is a probability."""
    return as_json(_probability().to_dict())


def frozen_rule():
    return _study().freeze()


@cache
def _tied(direction):
    patients = turned(cohort(30, 3, ties=True), direction)
    return fit(patients, n_bootstrap=50, direction=direction)


def tied_study(direction="ge"):
    return as_json(_tied(direction).to_dict())


@cache
def _comparison():
    here, there = cohort(120, 1), cohort(80, 5, moved=0.5)
    return compare(here, there, n_bootstrap=20, rules=["stable", "erm"])


def comparison():
    return as_json(_comparison().to_dict())


@cache
def _audit(labelled, only, options):
    there = cohort(90, 5, moved=0.4, positive=0.6)
    if only is not None:
        there = there.take(there.labels == only)
    labels = there.labels if labelled else None
    return audit(_study(**dict(options)).freeze(), there.scores, labels)


def labelled_audit(only=None, **options):
    return as_json(_audit(True, only, tuple(options.items())).to_dict())


def unlabelled_audit():
    return as_json(_audit(False, None, ()).to_dict())


@cache
def _sites_audit():
    there = cohort(360, 7)
    sites = np.array(["North", "South", "West"])[np.arange(360) % 3]
    # At one of the sites the scores of ill patients look like those of healthy ones.
    scores = np.where((sites == "West") & (there.labels == 1), there.scores - 2, there.scores)
    parts = {"scores": scores, "labels": there.labels, "sites": sites, "recipe": there.recipe}
    return audit(_study().freeze(), PatientScores(**parts))


def sites_audit():
    """Return an audit of three sites; the rule fails at one of them."""
    return as_json(_sites_audit().to_dict())


@cache
def _several_sites():
    patients = cohort(240, 2)
    sites = np.array(["North", "South", "a$b$ clinic", "Empty"])[np.arange(240) % 4]
    # One of the sites has no ill patient.
    labels = np.where(sites == "Empty", 0, patients.labels)
    return fit(PatientScores(scores=patients.scores, labels=labels, sites=sites), n_bootstrap=50)


def sites_study():
    return as_json(_several_sites().to_dict())


def adapted():
    """Return an adaptation with labels that came one at a time."""
    there = cohort(60, 7)
    found = adapt(
        _study().freeze(),
        PatientScores(scores=cohort(100, 8).scores),
        labelled=PatientScores(scores=there.scores, labels=there.labels),
        sequential=True,
        target=0.4,
    )
    return as_json(found.to_dict())


@cache
def _two_basins():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 400)
    deep, shallow = np.where(labels == 1, 2.0, 0.0), np.where(labels == 1, 5.0, 3.5)
    scores = np.where(rng.random(400) < 0.5, deep, shallow) + 0.4 * rng.normal(size=400)
    return fit(PatientScores(scores=scores, labels=labels), rule="erm", n_bootstrap=50)


def two_basins_study():
    return as_json(_two_basins().to_dict())


@cache
def _monitor(labelled, moved):
    there = cohort(350, 6, moved=moved)
    return monitor(_study().freeze(), there.scores, there.labels if labelled else None)


def monitored(*, labelled=True, moved=0.0):
    return as_json(_monitor(labelled, moved).to_dict())
