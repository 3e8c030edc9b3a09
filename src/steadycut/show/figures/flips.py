"""How often a resampled study would decide otherwise, by the score of a patient."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steadycut.core.checks import FloatArray
from steadycut.show.figures.data import flips_data
from steadycut.show.figures.display import Display
from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    DOTTED,
    GREY,
    axes_or_new,
    legend_above,
    mark_cut_off,
    name_score_axis,
    note_below,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from steadycut.study.fit import Study


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlipsDisplay(Display):
    """Flip probability as a function of the score, and the grey zone; no patient is shown.

    Parameters
    ----------
    scores, flips
        The function, shape (n_points,), by ascending score: it jumps at the scores given.
    grey, grey_at_least
        Between which scores at least that share of the resampled studies decide otherwise.
    n_grey, n_patients
        Patients in the grey zone, None if they were not counted, and patients in all.
    threshold, direction
        The chosen cut-off, and which side of it is called.
    score
        Name of the axis.
    """

    scores: FloatArray
    flips: FloatArray
    grey: FloatArray
    grey_at_least: float
    n_grey: int | None
    n_patients: int
    threshold: float
    direction: str = "ge"
    score: str = "score"

    @classmethod
    def from_study(cls, study: "Study | Mapping[str, Any]") -> "FlipsDisplay":
        """Take the draws out of a study, and count the certifying patients."""
        return cls(**flips_data(study))

    @classmethod
    def from_audit(cls, audit: Any) -> "FlipsDisplay":
        """Take the draws out of an audit, and count its patients."""
        return cls(**flips_data(audit))

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw the function on ``ax``, or on a new figure, and return the axes."""
        ax = axes_or_new(ax, 5.2, 3.9)
        step = "post" if self.direction == "ge" else "pre"
        ax.axvspan(*self.grey, color=GREY, alpha=0.25, linewidth=0, label="grey zone")
        ax.fill_between(self.scores, self.flips, step=step, color=BLUE, alpha=0.2, linewidth=0)
        style = f"steps-{step}"
        ax.plot(self.scores, self.flips, color=BLUE, drawstyle=style, label="decided otherwise")
        edge = f"{100 * self.grey_at_least:g} %"
        ax.axhline(self.grey_at_least, color=BLACK, linestyle=DOTTED, linewidth=1.2, label=edge)
        mark_cut_off(ax, self.threshold)
        ax.set_ylim(0, max(1.1 * self.flips.max(), 2 * self.grey_at_least))
        name_score_axis(ax, self.score, "a patient's")
        ax.set_ylabel("share of resampled studies")
        if self.n_grey is not None:
            note_below(ax, f"{self.n_grey} of {self.n_patients} patients are in the grey zone")
        tidy(ax)
        legend_above(ax)
        return ax
