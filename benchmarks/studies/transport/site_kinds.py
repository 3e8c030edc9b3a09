"""What the sites of each real set are, and how rules do where they are hospitals.

Many sets divide the patients of one place, by sex, arm or batch. This counts them, and takes the
ratio of regret (to ``erm``, over all stakes, of benchmarks/results/stakes.json) of the sets whose
sites are hospitals, clinics, institutions or countries. The kinds were given by reading how
`real_sets`, `held_out_sets`, `kept_back_sets` and `stroke_sets` make their sites.

Run: python benchmarks/studies/transport/site_kinds.py
"""

import json
from pathlib import Path
from statistics import geometric_mean

RESULTS = Path(__file__).resolve().parents[2] / "results"
KINDS = {
    "hospitals": (
        *("heart", "parkinson", "sepsis", "breast recurrence", "respiratory", "pancreatitis"),
        *("periodontal", "heart, other scores", "sepsis, vital signs", "lung, by institution"),
        *("marrow", "pockets", "stroke, dependent", "stroke, dead"),
    ),
    "sex": (
        *("suicide", "haemorrhage", "light chains, by sex", "gammopathy, by sex"),
        *("spanish voices, by sex", "elastase, by sex", "smokers", "alzheimer", "speech"),
        *("infarction", "melanoma", "fatty liver", "kidney transplants", "addiction"),
        "suicide, China",
    ),
    "arms of a trial": ("colon, by arm", "sore throat", "prostate", "veterans", "cystic fibrosis"),
    "periods or batches": ("wilms", "births", "aspiration"),
    "other groups": (
        *("cirrhosis", "diabetes", "aspirate, by symmetry", "diabetes, by pregnancies"),
        *("low birth weight", "intensive care", "whickham", "hepatocellular", "eyes"),
    ),
    "rows at random": ("breast aspirate",),
}
METHODS = ("stable", "logistic on the score", "ignore the score")


def ratio(by_set: dict[str, float], names: tuple[str, ...]) -> tuple[int, float]:
    """Return how many of these sets have a ratio, and their geometric mean."""
    values = [by_set[name] for name in names if name in by_set]
    return len(values), geometric_mean(values)


def main() -> None:
    """Store the counts and the ratios."""
    stakes = json.loads((RESULTS / "stakes.json").read_text(encoding="utf-8"))
    rows = {row["method"]: row["by set"] for row in stakes["all sets"]["methods"]}
    at_hospitals = {name: ratio(rows[name], KINDS["hospitals"]) for name in METHODS}
    found = {
        "sets": {kind: len(names) for kind, names in KINDS.items()},
        "compared": at_hospitals["stable"][0],
        "hospitals": {name: round(value, 4) for name, (_, value) in at_hospitals.items()},
        "worst": round(
            max(rows["stable"][name] for name in KINDS["hospitals"] if name in rows["stable"]), 4
        ),
    }
    path = RESULTS / "transport_sites.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
