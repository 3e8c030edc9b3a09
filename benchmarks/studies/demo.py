"""Is the story of ``steadycut demo`` typical, and how do rules compare over seeds?

What the commands of the demo do is done with each of 100 seeds. ``numbers`` has every number that
the demo prints, and more that pages print of its tables (shares as patients of 100), with the
quartiles over these seeds. ``decisions`` counts the decisions of the three audits. The seeds of the
demo follow from them: for A the first seed from 0 on where each number at A lies within the middle
half, and the way to combine tiles is the most frequent one; then for B and for C, with the rule
of this A, the first seeds where each number there does, and each decision is the most frequent one.
``typical`` has these seeds. ``rules`` has what `compare` says of every rule at B and at C: errors
per 100 patients, quartiles over the same 100 seeds, and in how many seeds the rule had fewer errors
than `erm`, as many (``same``), and more.

Run as ``python benchmarks/studies/demo.py [--seeds N]``; it writes
``benchmarks/results/demo.json``. With ``--search`` it looks for the seeds of the demo only.
"""

import argparse
import json
import warnings
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from steadycut.adaptation.adapt import adapt
from steadycut.datasets import two_hospitals as data
from steadycut.ingest import make_request, read_patients
from steadycut.study.audit import audit
from steadycut.study.compare import compare
from steadycut.study.fit import make_study
from steadycut.study.monitor import monitor

RESULT = Path(__file__).parents[1] / "results" / "demo.json"
VERSUS = ("fewer", "same", "more")
AUDITS = ("audit_b", "audit_b_later", "audit_c")
AGGREGATORS = ("mean", "max", "quantile:0.9")


def rates(point):
    """Return what pages say about the rates and the score."""
    return {
        "sensitivity": 100 * point.sensitivity,
        "specificity": 100 * point.specificity,
        "auc": point.fixed_cut.characteristics["auc"].value,
    }


def certified(document):
    """Return the numbers of a cut-off with its certificate."""
    part = document.certificate
    shares = {"wrong": part.risk, "limit": part.value, "without": part.trivial_risk}
    return {"cut": document.threshold, **{name: 100 * share for name, share in shares.items()}}


def numbers_of(key, document):
    """Return every number that one step prints."""
    if key == "watch_b":
        return {}
    if key in AUDITS:
        wrong, calls = 100 * document.risk_external, 100 * document.call_rate
        return {"wrong": wrong, "calls": calls, **rates(document.operating_point)}
    if key == ".":
        point, flips = document.operating_point, 100 * document.stability.flip_rate
        return {**certified(document), **rates(point), "reversed": flips}
    return certified(document)


def words_of(key, document):
    """Return what one step decides, in words."""
    if key in AUDITS:
        return document.verdict.decision
    if key == ".":
        return document.aggregation[-1].how
    return ("alarm" if document.alarm else "no alarm") if key == "watch_b" else ""


HOSPITALS = (data.HOSPITAL_A, data.HOSPITAL_B, data.HOSPITAL_C)


def cohort_of(name, seed):
    """Return the patients of one hospital; the others have one patient each."""
    sizes = {hospital: data.SIZE if hospital.name == name else 1 for hospital in HOSPITALS}
    return data.simulate(sizes, seed)


def at_a(seed):
    """Return the study at A."""
    return make_study(patients_of(cohort_of("A", seed), "A"))


def at_b(rule, seed):
    """Yield the steps at B, by the functions behind the commands."""
    (patients,) = patients_of(cohort_of("B", seed), "B", rule.recipe.how)
    place = np.arange(data.SIZE)
    known, later = patients.take(place < data.LABELLED), patients.take(place >= data.LABELLED)
    yield "audit_b", audit(rule, known).describe()
    adapted = adapt(rule, replace(later, labels=None), labelled=known)
    yield "adapted_b", adapted.describe()
    yield "audit_b_later", audit(adapted.rule, later).describe()
    yield "watch_b", monitor(adapted.rule, later, order=place[data.LABELLED :]).describe()


def at_c(rule, seed):
    """Yield the step at C."""
    (patients,) = patients_of(cohort_of("C", seed), "C", rule.recipe.how)
    yield "audit_c", audit(rule, patients).describe()


def steps_of(seed):
    """Yield what came of each step."""
    study = at_a(seed)
    yield ".", study.describe()
    yield from at_b(study.freeze(), seed)
    yield from at_c(study.freeze(), seed)


def patients_of(cohort, hospital, *how):
    request = make_request(
        patient="patient",
        score="score",
        label="tumour",
        site="hospital",
        sites=[hospital],
        levels=["slide:max"],
        how=list(how or AGGREGATORS),
    )
    return list(read_patients(request, cohort).patients.values())


def compared(seed):
    """Return the errors per 100 patients of each rule, at B and at C."""
    here = patients_of(cohort_of("A", seed), "A")
    rows = {}
    for name in "BC":
        document = compare(here, patients_of(cohort_of(name, seed), name)).describe()
        for row in document.rows:
            rows[row.name, name] = 100 * row.risk_external
    return rows


def quartiles(values):
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return {"low": low, "median": middle, "high": high}


def in_middle(key, values, words, numbers, decisions):
    """Whether every number of a step is in the middle half, and its word the most frequent."""
    if words != max(decisions[key], key=decisions[key].get):
        return False
    parts = {name: numbers[f"{key} {name}"] for name in values}
    return all(part["low"] <= values[name] <= part["high"] for name, part in parts.items())


def typical(steps, known):
    """Whether all steps are typical."""
    return all(
        in_middle(key, numbers_of(key, document), words_of(key, document), *known)
        for key, document in steps
    )


def first_seeds(*known):
    """Return the first typical seed of each hospital, given those before it."""
    first = next(seed for seed in count() if typical([(".", at_a(seed).describe())], known))
    rule = at_a(first).freeze()
    b, c = (next(s for s in count() if typical(steps(rule, s), known)) for steps in (at_b, at_c))
    return {"A": first, "B": b, "C": c}


def measured(seeds):
    """Return the quartiles and the counts over seeds."""
    values, decisions, rules = {}, {}, {}
    for seed in seeds:
        for key, document in steps_of(seed):
            decisions.setdefault(key, Counter())[words_of(key, document)] += 1
            for name, value in numbers_of(key, document).items():
                values.setdefault(f"{key} {name}", []).append(value)
        for name, value in compared(seed).items():
            rules.setdefault(name, []).append(value)
    return {
        "seeds": len(seeds),
        "numbers": {name: quartiles(several) for name, several in values.items()},
        "decisions": decisions,
        "rules": [
            {
                "rule": rule,
                "at": place,
                **quartiles(several),
                **against(several, rules["erm", place]),
            }
            for (rule, place), several in rules.items()
        ],
    }


def against(several, others):
    """Count the seeds where one rule has fewer errors than another, as many, and more."""
    signs = np.sign(np.subtract(several, others))
    return {name: int(np.sum(signs == sign)) for sign, name in zip((-1, 0, 1), VERSUS, strict=True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--search", action="store_true")
    asked = parser.parse_args()
    result = json.loads(RESULT.read_bytes()) if asked.search else measured(range(asked.seeds))
    result["typical"] = first_seeds(result["numbers"], result["decisions"])
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(result["typical"])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
