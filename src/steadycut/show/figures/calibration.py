"""The share of ill patients by a score that is a probability."""

from typing import Any, ClassVar

import numpy as np

from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.intervals.calibration import calibration
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE, GREY
from steadycut.show.figures.display import CutOffDisplay
from steadycut.show.figures.elements import DOTTED, mark_cut_off, name_score_axis
from steadycut.show.figures.patients import patients_of

# At most so many groups of patients with similar scores, with at least so many patients each.
MOST_GROUPS, FEWEST = 10, 10


class CalibrationDisplay(CutOffDisplay):
    """The share of ill patients in groups of similar scores, and the fitted curve.

    ``fitted`` has intercept and slope with their intervals. ``groups`` has the mean score, the
    share of ill patients and its exact interval of each group.
    """

    width: ClassVar = 4.2
    rank: ClassVar = 2
    captions: ClassVar = {
        "study score": "Calibration: the share of {names.ill_patients} by score, if the score is "
        "read as a probability.",
        "audit score": "Calibration here: the share of {names.ill_patients} by score, if the score "
        "is read as a probability.",
    }

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        point, known = getattr(document, "operating_point", None), document.scores
        coarse = getattr(document, "small_cells", None) or document.direction == "le"
        unknown = document.survival is not None and document.survival.unknown
        if point is None or coarse or unknown:
            raise BadPatients("calibration needs the labels of all patients, and high scores: ill.")
        sizes = point.tp + point.fn, point.fp + point.tn
        quantiles = known.positive or [], known.negative or []
        ill, well = (patients_of(*own) for own in zip(quantiles, sizes, strict=True))
        fitted = calibration(ill, well, point.confidence)
        if fitted is None:
            raise BadPatients("calibration needs scores from 0 to 1 that do not part the classes.")
        self.fitted = fitted
        scores, n_groups = np.append(ill, well), (ill.size + well.size) // FEWEST
        # Equal scores stay together.
        edges = np.quantile(scores, np.linspace(0, 1, min(MOST_GROUPS, max(n_groups, 1)) + 1)[1:-1])
        group = np.unique(edges).searchsorted(scores, "right")
        self.groups = []
        for own in (group == place for place in np.unique(group)):
            is_ill, n = int(own[: ill.size].sum()), int(own.sum())
            ends = rate_interval(is_ill, n, 1 - point.confidence)
            self.groups.append((float(scores[own].mean()), is_ill / n, ends))

    def draw(self, ax: Any) -> Any:
        """Draw the groups with their intervals, the curve, and the line of perfect calibration."""
        grid = np.linspace(0, 1, 101)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=DOTTED)
        drawn: list[Any] = ax.plot(grid, self.fitted.curve(grid), color=BLUE, label="fitted curve")
        for mean, share, ends in self.groups:
            ax.plot([mean, mean], ends, color=BLACK, linewidth=1)
            ax.plot([mean], [share], "o", color=BLACK, markersize=5)
        mark_cut_off(ax, self.document.threshold)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_ylabel(f"share who are {self.document.names.ill}")
        name_score_axis(ax, self.document.score, "")
        return drawn
