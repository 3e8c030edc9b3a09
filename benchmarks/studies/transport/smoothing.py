"""Do smoothed and parametric cut-offs travel better? cutpointr's methods, on the study's settings.

Run: python benchmarks/studies/transport/smoothing.py [--data FOLDER] [--cohorts 12] [--sizes N...]

Youden's index from normal and from kernel estimates of the two classes (plug-in width, as in R's
KernSmooth); Youden's index and the risk along the cuts smoothed by local lines (loess, span by
AICc) and by a penalised spline (GAM, GCV); and the mean and median of bootstrap cut-offs. Printed:
the ratio of the regret abroad to that of ``erm`` and of ``youden``, each a geometric mean over the
sets.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from held_out_sets import READERS as HELD_OUT
from judge import judge, real_homes, simulated_homes
from methods import BOOTSTRAPS, METHODS, by_rule
from populations import pairs
from real_sets import READERS, load
from scipy.interpolate import BSpline
from tables import gather, geometric_mean, leave_out_sets

from steadycut import PatientScores
from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rules.registry import chosen_cut, cuts_at_rank, parse_rule

HERE = Path(__file__).resolve().parent
RESULT = HERE.parents[1] / "results" / "transport_smoothing.md"
HEAD = (
    "Printed by `python benchmarks/studies/transport/smoothing.py --cohorts 12 --sizes 60 150`: "
    "ratio of the regret abroad to that of `erm` and of `youden`."
)
SIZES = (60, 150, 400)
SPANS = np.linspace(0.1, 0.95, 12)
TERMS = 10
PENALTIES = 10.0 ** np.arange(-6, 5, 0.5)
# Below this many distinct scores there is nothing to smooth.
LEAST_POINTS = TERMS + 2


def one_by_one(choose):
    """A method that takes one cohort at a time: scores, labels, costs, generator."""

    def every(cohorts, costs, rng):
        pairs_ = zip(cohorts.scores, cohorts.labels, strict=True)
        return np.array([choose(scores, labels, costs, rng) for scores, labels in pairs_])

    return every


def normal_youden(scores, labels, costs, rng):
    """Where two normal densities cross, inside the observed range; as in cutpointr."""
    del costs, rng
    healthy, sick = scores[labels == 0], scores[labels == 1]
    m0, m1, s0, s1 = healthy.mean(), sick.mean(), healthy.std(ddof=1), sick.std(ddof=1)
    if s0 == s1 or min(s0, s1) == 0:
        cut = (m0 + m1) / 2
    else:
        root = s0 * s1 * np.sqrt((m0 - m1) ** 2 + (s0**2 - s1**2) * np.log(s0**2 / s1**2))
        cut = ((m1 * s0**2 - m0 * s1**2) - root) / (s0**2 - s1**2)
    return np.clip(cut, scores.min(), scores.max())


def kernel_youden(scores, labels, costs, rng):
    """The rule ``youden-kernel`` of steadycut."""
    del rng
    cuts = cuts_of(PatientScores(scores=scores, labels=labels), "exact")
    return chosen_cut(cuts, parse_rule("youden-kernel"), costs)


def metric_along(scores, labels, costs, metric):
    """The distinct scores, and the loss of calling from each of them on."""
    values = np.unique(scores)
    misses = np.searchsorted(np.sort(scores[labels == 1]), values)
    alarms = np.sum(labels == 0) - np.searchsorted(np.sort(scores[labels == 0]), values)
    if metric == "youden":
        return values, misses / max(labels.sum(), 1) + alarms / max((1 - labels).sum(), 1)
    return values, (costs.cost_fn * misses + costs.cost_fp * alarms) / labels.size


def loess_smoother(values, span):
    """The matrix of local lines with tricube weights over a share of the points."""
    apart = np.abs(values[:, None] - values)
    reach = np.sort(apart, axis=1)[:, max(int(np.ceil(span * values.size)) - 1, 2)]
    weight = np.clip(1 - (apart / np.maximum(reach, 1e-300)[:, None]) ** 3, 0, None) ** 3
    weight /= weight.sum(axis=1, keepdims=True)
    mean = weight @ values
    centred = values - mean[:, None]
    spread = (weight * centred**2).sum(axis=1)
    slope = weight * centred * ((values - mean) / np.maximum(spread, 1e-300))[:, None]
    return weight + np.where(spread[:, None] > 0, slope, 0.0)


def loess(values, loss):
    """Local lines, the span by the corrected AIC."""
    n, best = values.size, (np.inf, loss)
    for span in SPANS:
        hat = loess_smoother(values, span)
        fitted, trace = hat @ loss, np.trace(hat)
        if n - trace - 2 <= 0:
            continue
        aicc = np.log(np.mean((loss - fitted) ** 2) + 1e-300) + (n + trace) / (n - trace - 2)
        best = min(best, (aicc, fitted), key=lambda pair: pair[0])
    return best[1]


def spline(values, loss):
    """A penalised spline of ten terms, its penalty by generalised cross-validation; a small GAM."""
    scaled = (values - values[0]) / np.ptp(values)
    knots = np.concatenate([np.zeros(3), np.linspace(0, 1, TERMS - 2), np.ones(3)])
    basis = BSpline.design_matrix(scaled, knots, 3).toarray()
    bend = np.diff(np.eye(TERMS), 2, axis=0)
    root, rotated = np.linalg.qr(basis)
    eigen, vectors = np.linalg.eigh(_whiten(rotated, bend.T @ bend))
    axes = root @ vectors
    along = axes.T @ loss
    best = (np.inf, loss)
    for penalty in PENALTIES:
        shrink = 1 / (1 + penalty * np.maximum(eigen, 0))
        fitted = axes @ (shrink * along)
        gcv = np.mean((loss - fitted) ** 2) / (1 - shrink.sum() / values.size) ** 2
        best = min(best, (gcv, fitted), key=lambda pair: pair[0])
    return best[1]


def _whiten(triangle, penalty):
    inverse = np.linalg.pinv(triangle)
    return inverse.T @ penalty @ inverse


def smoothed(smooth, metric):
    """The score at which a smoothed curve is smallest."""

    def choose(scores, labels, costs, rng):
        del rng
        values, loss = metric_along(scores, labels, costs, metric)
        curve = smooth(values, loss) if values.size >= LEAST_POINTS else loss
        return values[np.argmin(curve)]

    return one_by_one(choose)


def bootstrapped_youden(middle):
    """cutpointr's maximize_boot_metric: the middle of the cut-offs of resampled patients."""
    rule = parse_rule("youden")

    def choose(scores, labels, costs, rng):
        values, group = np.unique(scores, return_inverse=True)
        cells = np.bincount(group + values.size * (labels == 0), minlength=2 * values.size)
        drawn = resample(cells[None, :], BOOTSTRAPS, rng)[0]
        curve = count_errors(drawn)
        first, last = cuts_at_rank(curve.ranks, rule(curve, costs))
        padded = np.concatenate([[values[0] - 1e-9], values, [values[-1] + 1e-9]])
        return middle((padded[first] + padded[last + 1]) / 2)

    return one_by_one(choose)


COMPARED = {
    "erm": by_rule("erm"),
    "youden": by_rule("youden"),
    "stable": by_rule("stable"),
    "youden, normal": one_by_one(normal_youden),
    "youden, kernel": one_by_one(kernel_youden),
    "youden, loess": smoothed(loess, "youden"),
    "youden, GAM": smoothed(spline, "youden"),
    "youden, bootstrap mean": bootstrapped_youden(np.mean),
    "youden, bootstrap median": bootstrapped_youden(np.median),
    "risk, kernel": METHODS["kernel-smoothed risk"],
    "risk, loess": smoothed(loess, "risk"),
    "risk, GAM": smoothed(spline, "risk"),
    "risk, bootstrap mean": METHODS["bootstrap mean (cutpointr)"],
    "risk, bootstrap median": METHODS["bootstrap median (cutpointr)"],
}


def table(block):
    """One row a method: ratio to erm and to youden, settings won against each, risk at home."""
    lines = [
        "| method | to erm | won | to youden | won | home, worst set |",
        "|---|---|---|---|---|---|",
    ]
    means = {method: regret.mean(axis=1) for method, regret in block.regret.items()}
    for method in COMPARED:
        regret, cells = means[method], []
        for reference in ("erm", "youden"):
            ratios = block.by_group(regret) / block.by_group(means[reference])
            low, high = (leave_out_sets(ratios, level) for level in (0.05, 0.95))
            won = np.mean((regret < means[reference]) + 0.5 * (regret == means[reference]))
            cells.append(f"{geometric_mean(ratios):.2f} ({low:.2f} to {high:.2f}) | {won:.0%}")
        excess = (block.excess[method] - block.excess["erm"]).mean(axis=1)
        lines.append(
            f"| {method} | {' | '.join(cells)} | {1e4 * block.by_group(excess).max():+.0f} |"
        )
    return "\n".join(lines)


def main():
    warnings.simplefilter("ignore", FutureWarning)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data, help="folder of the data that no package carries")
    parser.add_argument("--cohorts", type=int, default=12, help="resamplings of every setting")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="patients of a cohort")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    started = time.perf_counter()
    pages = [HEAD]
    sources = {
        "real": real_homes(load(chosen.data, READERS)),
        "held out": real_homes(load(chosen.data, HELD_OUT)),
        "simulated": simulated_homes(pairs()),
    }
    for kind, homes in sources.items():
        results = judge(homes, COMPARED, kind, chosen.cohorts, chosen.seed, sizes=chosen.sizes)
        block = gather(list(results))
        pages += [
            f"## {kind}: {len(block.settings)} settings of {len(block.names)} sets",
            table(block),
        ]
        print(*pages[-2:], f"{time.perf_counter() - started:.0f} s", sep="\n\n", flush=True)
    RESULT.write_text("\n\n".join(pages) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
