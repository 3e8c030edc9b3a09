"""How often the answers of an audit are wrong, and how often they are right.

The first hospital chooses and checks a cut-off on 200 patients. The second one has the same or
other patients; the populations are those of the coverage study, whose risk at any cut is known.
Three things are counted, at delta 0.1:

false   answers that are wrong: a "yes" to a question whose true answer is no (for "as good as
        before": an error rate more than the margin higher), or a "no" to one whose true answer is
        yes
bad     audits with any "no" where all three true answers are yes
answered  audits in which the question got an answer at all, right or wrong

With looks every 10 patients the same is counted for answers at any look, with limits for one look
and with those of ``sequential``.

Run as ``python benchmarks/studies/verdict.py [--replicates N]``; it writes
``benchmarks/results/verdict.json``. The seed is fixed.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "coverage"))

from populations import pairs

from steadycut import PatientScores, fit
from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs
from steadycut.core.verdict import MARGIN, QUESTIONS, Comparison

RESULT = Path(__file__).parents[1] / "results" / "verdict.json"
SIZES = (50, 150, 400)
LOOKS = range(10, 201, 10)
DELTA = 0.1


def truths(home, there, threshold, promised, costs):
    """Return the true answers at a cut-off."""
    risk = there.risk(threshold, costs)
    trivial = min(there.prevalence * costs.cost_fn, (1 - there.prevalence) * costs.cost_fp)
    rates = [
        (one.positive.below(threshold), 1 - one.negative.below(threshold)) for one in (there, home)
    ]
    higher = [here - before for here, before in zip(*rates, strict=True)]
    return {
        "useful": bool(risk < trivial),
        # Between 0 and the margin both answers are right.
        "as_before": None if 0 < max(higher) <= MARGIN else max(higher) <= 0,
        "within_certificate": bool(risk <= promised),
    }


def compare(home, there, n_patients, rng):
    """Fit at home, and return the comparison at the second hospital, with the true answers."""
    scores, labels = home.draw(200, rng)
    labels[:4] = [0, 0, 1, 1]
    study = fit(PatientScores(scores=scores, labels=labels), n_bootstrap=5)
    rule = study.freeze()
    costs = Costs()
    found = confusion_at(PatientScores(**named(*there.draw(n_patients, rng))), study.threshold)
    one = Comparison(
        here=found.counts,
        before=rule.reference_counts,
        matrix=rule.cost_matrix,
        costs=costs,
        promised=rule.certificate.value,
        vacuous=rule.certificate.vacuous,
    )
    return one, study.threshold, truths(home, there, study.threshold, one.promised, costs)


def named(scores, labels):
    return {"scores": scores, "labels": labels}


def is_wrong(answer, truth):
    return truth is not None and answer != "cannot tell" and (answer == "yes") != truth


def one_look(name, home, there, replicates):
    """Count wrong answers, false alarms and answers, by size."""
    rows = []
    for n_patients in SIZES:
        rng = np.random.default_rng([1, n_patients, *name.encode()])
        wrong, answered = dict.fromkeys(QUESTIONS, 0), dict.fromkeys(QUESTIONS, 0)
        fine = bad = 0
        for _ in range(replicates):
            one, _, truth = compare(home, there, n_patients, rng)
            verdict = one.verdict(DELTA)
            for question in QUESTIONS:
                answer = getattr(verdict, question)
                wrong[question] += is_wrong(answer, truth[question])
                answered[question] += answer != "cannot tell"
            if all(truth.values()):
                fine += 1
                bad += verdict.overall == "bad"
        shares = {"wrong": wrong, "answered": answered}
        rows.append(
            {
                "population": name,
                "patients": n_patients,
                **{k: {q: v / replicates for q, v in found.items()} for k, found in shares.items()},
                "bad_where_fine": bad / fine if fine else None,
                "fine": fine,
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


def many_looks(replicates):
    """Count audits with any wrong answer at any look, where the cost is that certified."""
    rng = np.random.default_rng(2)
    home, there = pairs()["P = Q"]
    found = {False: 0, True: 0}
    for _ in range(replicates):
        one, threshold, _ = compare(home, there, 10, rng)
        one = replace(one, promised=float(there.risk(threshold, Costs())), vacuous=False)
        here, said = np.zeros((2, 2), dtype=np.int64), {False: False, True: False}
        for _ in LOOKS:
            patients = PatientScores(**named(*there.draw(10, rng)))
            here = here + confusion_at(patients, threshold).counts
            for sequential in said:
                now = replace(one, here=here, sequential=sequential)
                said[sequential] |= now.highest_cost(DELTA) <= now.promised
        for sequential, wrong in said.items():
            found[sequential] += wrong
    return {
        "looks": len(LOOKS),
        "wrong_within_certificate_one_look_limits": found[False] / replicates,
        "wrong_within_certificate_sequential": found[True] / replicates,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    replicates = parser.parse_args().replicates
    rows = [row for name, (p, q) in pairs().items() for row in one_look(name, p, q, replicates)]
    result = {"delta": DELTA, "replicates": replicates, "rows": rows, **many_looks(replicates)}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
