"""The decision of an audit for all pairs of real hospitals.

A cut-off is chosen and checked at one hospital by ``fit`` (costs 1:1, delta 0.1), and audited at
every other one of its set: all patients and all scores of the real sets of the transport study. The
first hospital needs 100 patients, the other one 50, each with five of either class.

cost, change       the mean cost here, and how much higher it is than with the error rates before
without_score      the mean cost of treat-all or treat-none here, whichever is less
refused_wrongly    pairs that end in "adapt" or "do not use" though the observed cost did not rise,
                   and the rule is shown to be useful

Run as ``python benchmarks/studies/pairs_of_hospitals.py FOLDER``, with the folder of real tables;
it writes ``benchmarks/results/pairs_of_hospitals.json``. The seed is fixed. No test needs the
tables.
"""

import json
import sys
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "transport"))

import real_sets
import stroke_sets

from steadycut import PatientScores, audit, fit
from steadycut.core.verdict import DECISIONS, REFUSED
from steadycut.errors import SteadycutError, SteadycutWarning

RESULT = Path(__file__).parents[1] / "results" / "pairs_of_hospitals.json"
AT_HOME, ELSEWHERE = 100, 50


def patients_of(site):
    return PatientScores(scores=site.scores, labels=site.labels)


def pair(names, rule, there):
    """Return the decision of one audit with the costs behind it; None if it is refused."""
    found = audit(rule, patients_of(there)).describe()
    change = found.verdict.change
    without = next(part.cost_without_score for part in found.questions)
    return names | {
        "patients": found.n_patients,
        "decision": found.verdict.decision,
        "reason": found.verdict.reason,
        "useful": found.verdict.useful,
        "as_before": found.verdict.as_before,
        "cost": round(found.risk_external, 4),
        "change": None if change is None else [round(change.value, 4), round(change.low, 4)],
        "without_score": round(without, 4),
    }


def rows_of(folder):
    """Yield one row per pair of hospitals and score."""
    readers = real_sets.READERS | stroke_sets.READERS
    for name, scores in real_sets.load(folder, readers).items():
        for score, sites in scores.items():
            for home, site in sites.items():
                if site.labels.size < AT_HOME:
                    continue
                try:
                    rule = fit(patients_of(site), n_bootstrap=2).freeze()
                except SteadycutError as error:
                    print(f"left out: {name}, {score}, {home} ({error})")
                    continue
                for other, there in sites.items():
                    if other != home and there.labels.size >= ELSEWHERE:
                        names = {"set": name, "score": score, "from": home, "to": other}
                        yield pair(names, rule, there)


def main():
    warnings.simplefilter("ignore", SteadycutWarning)
    rows = list(rows_of(sys.argv[1]))
    counts = Counter(row["decision"] for row in rows)
    wrongly = [
        row
        for row in rows
        if row["decision"] in REFUSED and row["useful"] == "yes" and row["change"][0] <= 0
    ]
    result = {
        "pairs": len(rows),
        "decisions": {name: counts[name] for name in DECISIONS},
        "useful": sum(row["useful"] == "yes" for row in rows),
        "refused_wrongly": len(wrongly),
        "rows": rows,
    }
    RESULT.write_text(json.dumps(result) + "\n", encoding="utf-8")
    print(json.dumps({name: value for name, value in result.items() if name != "rows"}))


if __name__ == "__main__":
    main()
