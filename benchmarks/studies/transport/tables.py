"""From results to one table, one JSON file and one figure."""

from dataclasses import dataclass

import numpy as np

REFERENCE = "erm"
# The cut that is best for all patients at home, which nobody knows: its regret abroad is the shift.
BEST_AT_HOME = "best for all patients at home"


@dataclass(frozen=True)
class Block:
    """All results of one kind (real or simulated), as arrays of one row a setting."""

    settings: list
    groups: np.ndarray
    regret: dict  # method -> (settings, cohorts)
    excess: dict  # method -> (settings, cohorts), risk at home above the best cut
    flips: dict  # method -> (settings,)
    seconds: dict  # method -> (settings,)

    @property
    def names(self):
        return list(dict.fromkeys(self.groups))

    def by_group(self, values):
        """Mean over the settings of each set, so that no set counts more than another."""
        return np.array([values[self.groups == name].mean() for name in self.names])


def gather(results):
    """Arrange results, which hold every method in every setting."""
    settings = list(dict.fromkeys(result.setting for result in results))
    methods = list(dict.fromkeys(result.method for result in results))
    found = {(result.setting, result.method): result for result in results}

    def collect(field):
        return {
            method: np.array([getattr(found[setting, method], field) for setting in settings])
            for method in methods
        }

    return Block(
        settings=settings,
        groups=np.array([setting[1] for setting in settings]),
        regret=collect("regret"),
        excess=collect("home_excess"),
        flips=collect("flip_rate"),
        seconds=collect("seconds"),
    )


def summarise(block):
    """One row a method: what the table prints."""
    return [summary_of(block, method) for method in block.regret if method != BEST_AT_HOME]


def split_of(block, methods):
    """The regret of each set: the shift, and what the noise of few patients adds to it."""
    shift = block.by_group(block.regret[BEST_AT_HOME].mean(axis=1))
    whole = {method: block.by_group(block.regret[method].mean(axis=1)) for method in methods}
    return {
        "shift": dict(zip(block.names, shift.round(4).tolist(), strict=True)),
        "noise": {
            method: dict(zip(block.names, (regret - shift).round(4).tolist(), strict=True))
            for method, regret in whole.items()
        },
        "share_of_shift": {
            method: float(shift.mean() / regret.mean()) for method, regret in whole.items()
        },
    }


def summary_of(block, method):
    regret = block.regret[method].mean(axis=1)
    reference = block.regret[REFERENCE].mean(axis=1)
    ratios = block.by_group(regret) / block.by_group(reference)
    difference, low, high = paired_difference(block, method)
    worse_home = (block.excess[method] - block.excess[REFERENCE]).mean(axis=1)
    return {
        "method": method,
        "regret": float(block.by_group(regret).mean()),
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "ratio": geometric_mean(ratios),
        "ratio_low": leave_out_sets(ratios, 0.05),
        "ratio_high": leave_out_sets(ratios, 0.95),
        "won": float(np.mean((regret < reference) + 0.5 * (regret == reference))),
        "clearly_better": float(np.mean(clearly_below(block, method))),
        "clearly_worse": float(np.mean(clearly_below(block, method, sign=-1))),
        "home": float(block.by_group(worse_home).mean()),
        "home_worst_set": float(block.by_group(worse_home).max()),
        "home_worst_setting": float(worse_home.max()),
        "flip_ratio": float(block.flips[method].mean() / block.flips[REFERENCE].mean()),
        "milliseconds": float(1000 * block.seconds[method].mean()),
        "ratio_by_size": ratio_by_size(block, regret, reference),
        "ratio_by_set": dict(zip(block.names, ratios.round(4).tolist(), strict=True)),
        "regret_by_set": dict(
            zip(block.names, block.by_group(regret).round(4).tolist(), strict=True)
        ),
    }


def ratio_by_size(block, regret, reference):
    """Mean regret over that of the reference, for each number of patients."""
    sizes = np.array([setting[4] for setting in block.settings])
    return {
        str(n): float(regret[sizes == n].mean() / reference[sizes == n].mean())
        for n in np.unique(sizes).tolist()
    }


def geometric_mean(ratios):
    return float(np.exp(np.log(ratios).mean()))


def leave_out_sets(ratios, level, draws=2000):
    """A quantile of the geometric mean over resampled sets: would other sets say the same?"""
    chosen = np.random.default_rng(0).integers(0, ratios.size, (draws, ratios.size))
    return float(np.quantile(np.exp(np.log(ratios)[chosen].mean(axis=1)), level))


def paired_difference(block, method):
    """Mean difference of regret to the reference, with a 95 % interval over cohorts."""
    paired = block.regret[method] - block.regret[REFERENCE]
    share = np.array([np.sum(block.groups == name) for name in block.groups])
    weight = 1 / (share * len(block.names))
    centre = float(weight @ paired.mean(axis=1))
    variance = paired.var(axis=1, ddof=1) / paired.shape[1]
    error = float(np.sqrt(weight**2 @ variance))
    return centre, centre - 1.96 * error, centre + 1.96 * error


def clearly_below(block, method, sign=1):
    """Settings where the paired 95 % interval of this setting excludes no difference."""
    paired = sign * (block.regret[method] - block.regret[REFERENCE])
    error = paired.std(axis=1, ddof=1) / np.sqrt(paired.shape[1])
    return paired.mean(axis=1) + 1.96 * error < 0


HEADER = (
    "| method | regret abroad | minus erm (95 %) | ratio to erm (90 % over sets) | won "
    "| home, mean | home, worst set | flips | ms |\n|---|---|---|---|---|---|---|---|---|"
)


def markdown(rows):
    """The table; risks at home are in 1e-4 above erm's."""
    ordered = sorted(rows, key=lambda row: row["ratio"])
    return "\n".join([HEADER, *(line_of(row) for row in ordered)])


def line_of(row):
    interval = f"({row['difference_low']:+.3f}, {row['difference_high']:+.3f})"
    return (
        f"| {row['method']} | {row['regret']:.3f} | {row['difference']:+.3f} {interval} "
        f"| {row['ratio']:.3f} ({row['ratio_low']:.2f} to {row['ratio_high']:.2f}) "
        f"| {row['won']:.0%} | {1e4 * row['home']:+.0f} | {1e4 * row['home_worst_set']:+.0f} "
        f"| {row['flip_ratio']:.2f} | {row['milliseconds']:.2f} |"
    )


def markdown_by_set(rows, methods):
    """Ratio to erm in every set, for a few methods."""
    chosen = [row for row in rows if row["method"] in methods]
    chosen.sort(key=lambda row: methods.index(row["method"]))
    lines = [
        "| set | erm's regret | " + " | ".join(row["method"] for row in chosen) + " |",
        "|---|---|" + "---|" * len(chosen),
    ]
    reference = next(row for row in rows if row["method"] == REFERENCE)
    for name, regret in reference["regret_by_set"].items():
        cells = " | ".join(f"{row['ratio_by_set'][name]:.2f}" for row in chosen)
        lines.append(f"| {name} | {regret:.3f} | {cells} |")
    return "\n".join(lines)


def markdown_split(split):
    """How much of the regret of each set is shift, and how much the noise of few patients."""
    heads = " | ".join(f"noise, {method}" for method in split["noise"])
    lines = [f"| set | shift | {heads} |", "|---|---|" + "---|" * len(split["noise"])]
    for name, shift in split["shift"].items():
        noise = " | ".join(f"{one[name]:+.3f}" for one in split["noise"].values())
        lines.append(f"| {name} | {shift:.3f} | {noise} |")
    return "\n".join(lines)


def draw_figure(rows, path):
    """Ratio to erm of every set (dots) and their geometric mean (bar), one line a method."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "transport", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    rows = sorted(rows, key=lambda row: -row["ratio"])
    figure, axes = plt.subplots(figsize=(7, 0.42 * len(rows) + 1.1))
    for place, row in enumerate(rows):
        ratios = np.array(list(row["ratio_by_set"].values()))
        axes.plot(ratios, np.full(ratios.size, place), "o", color="#7a8fa6", ms=3.5, alpha=0.7)
        colour = "#b03a2e" if row["method"] == "stable" else "#1b2631"
        axes.plot([row["ratio_low"], row["ratio_high"]], [place, place], color=colour, lw=2)
        axes.plot(row["ratio"], place, "|", color=colour, ms=16, mew=3)
    axes.axvline(1, color="#999999", lw=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row["method"] for row in rows])
    axes.set_xticks([0.25, 0.5, 1, 2, 4], ["0.25", "0.5", "1", "2", "4"])
    axes.minorticks_off()
    axes.set_xlabel("regret abroad, as a multiple of erm's (dots: data sets)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
