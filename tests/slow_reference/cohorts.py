"""Random small cohorts, as awkward as they may be: what both implementations are asked about."""

import random
from dataclasses import dataclass

COSTS = ((1.0, 1.0), (1.0, 1.0), (3.0, 1.0), (1.0, 10.0), (0.1, 0.7), (2.5, 0.3), (1e6, 1.0))
TARGETS = (None, None, None, (0.1, 0.1), (0.05, 0.3), (0.5, 0.9))


@dataclass(frozen=True)
class Cohort:
    """Patients as lists, one entry a patient, and the options that a study of them has.

    ``rows`` are instances: number of the patient, block, slide in the block, score.
    """

    seed: int
    kind: str
    scores: list[float]
    labels: list[int]
    sites: list[str]
    rows: list[tuple[int, int, int, float]]
    cost_fn: float
    cost_fp: float
    target: tuple[float, float] | None
    delta: float
    direction: str


# How a score of each kind is made, from the label and a source of randomness.
SCORES = {
    "normal": lambda label, rng: rng.gauss(1.2 * label, 1),
    "few values": lambda label, rng: rng.choice([0.1, 0.3, 0.3, 0.7]) + 0.1 * label,
    "constant": lambda label, rng: 0.25,
    "whole numbers": lambda label, rng: float(rng.randint(-3, 5) + 2 * label),
    "hundredths": lambda label, rng: round(min(max(rng.gauss(0.4 + label / 5, 0.2), 0), 1), 2),
    "denormal": lambda label, rng: rng.choice([-0.0, 0.0, 1, 2, 3, -1, -2]) * 5e-324 * (1 + label),
    "last bits": lambda label, rng: 1.0 + rng.randint(0, 6 + 3 * label) * 2.0**-52,
    "huge": lambda label, rng: rng.choice([-1e300, -9.9e299, 0.0, 1e299, 9.9e299, 1e300]),
    "all sizes": lambda label, rng: (
        rng.choice([-1, 1]) * 10.0 ** rng.randint(-12, 12) * (1 + label)
    ),
}
KINDS = tuple(SCORES)


def labels_of(n, rng):
    """One class may be tiny; both have a patient where there are two."""
    prevalence = rng.choice([0.5, 0.4, 0.25, 0.05, 0.95])
    labels = [int(rng.random() < prevalence) for _ in range(n)]
    labels[0], labels[1] = 0, 1
    rng.shuffle(labels)
    return labels


def rows_of(labels, kind, rng):
    """One to six rows a patient, in up to two blocks of up to two slides."""
    rows = []
    for patient, label in enumerate(labels):
        for _ in range(rng.choice([1, 1, 2, 3, 6])):
            place = rng.randint(0, 1), rng.randint(0, 1)
            rows.append((patient, *place, SCORES[kind](label, rng)))
    rng.shuffle(rows)
    return rows


def cohort_of(seed):
    rng = random.Random(seed)  # noqa: S311
    kind = KINDS[seed % len(KINDS)]
    n = rng.choice([2, 3, 5, 8, 12, 20, 30, 45, 60])
    labels = labels_of(n, rng)
    sites = [rng.choice("ABCD"[: rng.randint(1, 4)]) for _ in range(n)]
    cost_fn, cost_fp = rng.choice(COSTS)
    return Cohort(
        seed=seed,
        kind=kind,
        scores=[SCORES[kind](label, rng) for label in labels],
        labels=labels,
        sites=sites,
        rows=rows_of(labels, kind, rng),
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        target=rng.choice(TARGETS),
        delta=rng.choice([0.1, 0.05, 0.2]),
        direction=rng.choice(["ge", "le"]),
    )
