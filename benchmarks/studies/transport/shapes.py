"""Scores on which a mean of cut-offs, or a line, goes astray: what does `stable` cost there?

    python benchmarks/studies/transport/shapes.py [--cohorts 200] [--seed 0]

Two or three separate regions of good cut-offs, a score that hardly errs at a low prevalence, and
ill patients with a far larger spread than the healthy ones. Measured is the risk of the chosen
cut-off above the smallest one, in 40,000 patients of the same population, at costs of a miss and an
alarm of 1:1 and 3:1.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import ranked as rules
from peers_at_stakes import by_curve, costs_of, erm
from populations import Population, mixture, normal, pairs

RESULT = Path(__file__).resolve().parents[2] / "results" / "shapes.json"
SIZES = (50, 100, 200, 500, 1000)
COSTS = ((1, 1), (3, 1))
POPULATIONS = {
    "one region": pairs()["binormal, P = Q"][0],
    "two regions": pairs()["two basins, P = Q"][0],
    "two regions, one larger": Population(0.5, mixture(-3, 5, 5), mixture(-5, 3, 3)),
    "three regions": pairs()["three basins, P = Q"][0],
    "very sharp, few ill": Population(0.15, normal(6), normal(0)),
    "larger spread of the ill": Population(0.4, normal(1.5, 2.0), normal(0)),
    "far larger spread of the ill": Population(0.4, normal(1.5, 3.0), normal(0, 0.5)),
}
METHODS = {
    "erm": erm,
    "stable": by_curve("stable"),
    "without the check": rules.stable(height=np.inf),
    "with a normal prior of the slope": rules.stable(ridge=1.0),
    "logistic on the score": rules.logistic_on_scores,
}


def drawn(population, n, cohorts, rng):
    scores, labels = map(
        np.array, zip(*(population.draw(n, rng) for _ in range(cohorts)), strict=True)
    )
    order = scores.argsort(axis=1)
    return rules.Ranked(*(np.take_along_axis(values, order, 1) for values in (scores, labels)))


def excess(site, thresholds, pair):
    return round(
        float(site.risk(thresholds, costs_of(pair)).mean() - site.best_risk(costs_of(pair))), 4
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cohorts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    rows = []
    for name, population in POPULATIONS.items():
        site = population.as_site(1)
        for n in SIZES:
            cohorts = drawn(population, n, asked.cohorts, np.random.default_rng([asked.seed, n]))
            for method, choose in METHODS.items():
                for pair, thresholds in zip(COSTS, choose(cohorts, COSTS), strict=True):
                    row = {
                        "population": name,
                        "n": n,
                        "method": method,
                        "costs": f"{pair[0]}:{pair[1]}",
                    }
                    rows.append(row | {"excess": excess(site, thresholds, pair)})
        print(name, flush=True)
    result = {"cohorts": asked.cohorts, "seed": asked.seed, "rows": rows}
    asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
