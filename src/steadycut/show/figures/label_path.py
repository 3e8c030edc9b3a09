"""Labels one at a time: the smallest upper limit of the cost after each label."""

from typing import Any, ClassVar, Self

import numpy as np

from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.reading import Source
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLACK, BLUE
from steadycut.show.figures.display import Display, array, document_of
from steadycut.show.figures.elements import DASHED, note_below, risk_unit


class LabelPathDisplay(Display):
    """The smallest upper limit of the cost after each label, and the target."""

    height: ClassVar = 3.4
    captions: ClassVar = {
        "adaptation path": "The smallest upper limit of the cost after each label. It may be "
        "looked at at any time."
    }

    def __init__(self, adaptation: AdaptationDocument) -> None:
        if adaptation.path is None or adaptation.labels is None:
            msg = "only labels that come one at a time have a path; adapt with sequential=True."
            raise BadPatients(msg)
        self.limit, self.target = array(adaptation.path.limit), adaptation.labels.target
        self.unit = risk_unit(adaptation.costs)

    @classmethod
    def from_adaptation(cls, adaptation: Source[AdaptationDocument]) -> Self:
        """Take the path from an adaptation, or from the content of ``adapt.json``."""
        return cls(document_of(AdaptationDocument, adaptation))

    def draw(self, ax: Any) -> Any:
        """Draw the path."""
        labels = np.arange(1, self.limit.size + 1)
        words = "limit at all times"
        drawn = ax.plot(labels, self.limit, color=BLUE, linewidth=1.8, label=words)
        if self.target is not None:
            ax.axhline(self.target, color=BLACK, linestyle=DASHED, linewidth=1.2, label="target")
        reached = self.target is not None and bool(self.limit[-1] <= self.target)
        note_below(ax, f"reached after {self.limit.size} labels" if reached else "not reached yet")
        ax.set_ylim(0, 1.05 * self.limit.max())
        ax.set_xlim(0, self.limit.size + 1)
        ax.set_xlabel("labels so far")
        ax.set_ylabel(self.unit)
        return drawn
