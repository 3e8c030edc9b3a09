"""Where the cut-off falls when the patients are resampled."""

from typing import Any, ClassVar

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.study import StudyDocument
from steadycut.errors import kind_of
from steadycut.show.figures.colours import BLACK, BLUE, GREY
from steadycut.show.figures.display import StudyDisplay, array, finite_cuts
from steadycut.show.figures.elements import DOTTED, mark_cut_off, name_score_axis, note_below

BINS = 30
# Warnings that the histogram of the draws shows.
NOTED = ("multi-modal minimum", "flat minimum")


class ThresholdDrawsDisplay(StudyDisplay):
    """Histogram of the bootstrap cut-offs, with the chosen one and its radius.

    ``counts`` says how many of them lie between the ``edges`` of each bin. ``note`` has a warning
    if their distribution has several modes or is flat.
    """

    captions: ClassVar = {
        "study choice": "Cut-offs that the same rule chose when these patients were resampled."
    }

    def __init__(self, study: StudyDocument) -> None:
        super().__init__(study)
        draws, stability = array(study.bootstrap_thresholds), study.stability
        self.counts, self.edges = count_in_bins(finite_cuts(draws), stability.radius)
        ends = [f"{n} call everybody or nobody"] if (n := np.isinf(draws).sum()) else []
        notes = [text.partition(";")[0] for text in stability.warnings if kind_of(text) in NOTED]
        self.note = ". ".join(ends + notes[:1])

    def draw(self, ax: Any) -> Any:
        """Draw the histogram."""
        threshold, radius = self.study.threshold, self.study.stability.radius
        ends = (threshold - radius, threshold + radius)
        if np.isfinite(threshold):
            ax.axvspan(*ends, color=GREY, alpha=0.25, linewidth=0, label="within the radius")
            for end in ends:
                ax.axvline(end, color=BLACK, linestyle=DOTTED, linewidth=1)
        bars = {"width": np.diff(self.edges), "align": "edge", "label": "bootstrap cut-offs"}
        look = {"color": BLUE, "edgecolor": "white", "linewidth": 0.6}
        drawn = ax.bar(self.edges[:-1], self.counts, **bars, **look)
        mark_cut_off(ax, threshold)
        name_score_axis(ax, self.study.score)
        note_below(ax, self.note)
        ax.set_ylabel(f"replicates (of {len(self.study.bootstrap_thresholds)})")
        ax.set_ylim(bottom=0)
        ax.locator_params(axis="y", integer=True)
        return drawn


def count_in_bins(draws: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Count draws in equal bins; draws that are all the same get one bin as wide as the radius."""
    low, high = float(draws.min()), float(draws.max())
    bins = BINS
    # A span too small to divide counts as no span.
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        half = max(radius, 0.01 * abs(low)) / 2 or 0.5
        low, high, bins = low - half, high + half, 1
    counts, edges = np.histogram(draws, bins=bins, range=(low, high))
    return array(counts), array(edges)
