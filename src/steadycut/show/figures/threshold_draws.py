"""Where the cut-off falls when the patients are resampled."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.errors import kind_of
from steadycut.show.figures.colours import BLACK, BLUE, GREY
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DOTTED, mark_cut_off, name_score_axis, note_below

BINS = 30
# Warnings that the histogram of the draws shows.
NOTED = ("multi-modal minimum", "flat minimum")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class ThresholdDrawsDisplay(Display):
    """Histogram of the bootstrap cut-offs, with the chosen one and its radius.

    Parameters
    ----------
    draws
        Bootstrap cut-offs, shape (n_bootstrap,).
    counts, edges
        How many of them lie in each bin, and the edges of the bins.
    threshold, radius
        The chosen cut-off, and its radius on either side.
    note
        A warning if the distribution of the draws has several modes or is flat; otherwise empty.
    score
        Name of the axis.
    """

    draws: FloatArray
    counts: FloatArray
    edges: FloatArray
    threshold: float
    radius: float
    note: str = ""
    score: str = "score"

    captions: ClassVar = {
        "study choice": "Cut-offs that the same rule chose when these patients were resampled.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the bootstrap cut-offs from a study, or from the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        draws, stability = array(document.bootstrap_thresholds), document.stability
        counts, edges = count_in_bins(draws, stability.radius)
        notes = [text.partition(";")[0] for text in stability.warnings if kind_of(text) in NOTED]
        return cls(
            draws=draws,
            counts=counts,
            edges=edges,
            threshold=document.threshold,
            radius=stability.radius,
            note=notes[0] if notes else "",
            score=document.score,
        )

    def draw(self, ax: Any) -> Any:
        """Draw the histogram."""
        ends = (self.threshold - self.radius, self.threshold + self.radius)
        ax.axvspan(*ends, color=GREY, alpha=0.25, linewidth=0, label="within the radius")
        for end in ends:
            ax.axvline(end, color=BLACK, linestyle=DOTTED, linewidth=1)
        bars = {"width": np.diff(self.edges), "align": "edge", "label": "bootstrap cut-offs"}
        look = {"color": BLUE, "edgecolor": "white", "linewidth": 0.6}
        drawn = ax.bar(self.edges[:-1], self.counts, **bars, **look)
        mark_cut_off(ax, self.threshold)
        name_score_axis(ax, self.score)
        note_below(ax, self.note)
        ax.set_ylabel(f"replicates (of {self.draws.size})")
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
