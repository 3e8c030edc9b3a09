"""A hundred patients as icons: found, missed, false alarms, rightly not called."""

from typing import Any, ClassVar

import numpy as np

from steadycut.core.ensemble import whole_weights
from steadycut.documents.audit import CutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadPatients
from steadycut.show.figures.colours import BLUE, VERMILLION
from steadycut.show.figures.display import CutOffDisplay

ROWS = 5
# The outline of a person: half of the shoulders, the head, and the other half.
TURNS = np.radians(np.linspace(-110, -430, 13))
HEAD = np.stack([0.4 * np.cos(TURNS), 0.55 + 0.4 * np.sin(TURNS)], axis=1)
SIDE = np.array([[0.2, 0.1], [0.55, 0.0], [0.75, -0.35], [0.75, -1.0]])
PERSON = np.concatenate([[-1, 1] * SIDE[::-1], HEAD, SIDE])
CAPTION = (
    "Of 100 patients like these. Filled: {names.ill}. A cross is missed, a triangle a false alarm."
)
# Filled: ill. With a cross or a triangle: an error.
LOOKS = (
    ("found", BLUE, BLUE, None),
    ("missed", VERMILLION, VERMILLION, ("X", "white")),
    ("false alarms", VERMILLION, "white", ("^", VERMILLION)),
    ("rightly not called", BLUE, "white", None),
)


class PeopleDisplay(CutOffDisplay):
    """A hundred patients like those of a document, as icons with their numbers.

    ``counts`` are found, missed, false alarms and rightly not called; they sum to 100.
    """

    width: ClassVar = 3.7
    height: ClassVar = 1.6
    rank: ClassVar = 1
    captions: ClassVar = dict.fromkeys(("study headline", "audit headline"), CAPTION)

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        point = getattr(document, "operating_point", None)
        if point is None:
            raise BadPatients("without labels it is not known who is found and who is missed.")
        self.seen = np.array([point.tp, point.fn, point.fp, point.tn])
        self.counts = whole_weights(self.seen / self.seen.sum(), 100)

    def draw(self, ax: Any) -> Any:
        """Draw the icons, column by column."""
        drawn, places = [], np.split(np.arange(100), np.cumsum(self.counts)[:-1])
        looks = zip(places, self.counts.tolist(), self.seen, LOOKS, strict=True)
        for own, count, seen, (word, edge, inside, symbol) in looks:
            x, y = own // ROWS, -(own % ROWS)
            few = "fewer than 1" if seen and not count else count
            look: Any = {
                "color": edge,
                "markerfacecolor": inside,
                "linestyle": "",
                "markersize": 11,
            }
            look |= {"marker": PERSON, "markeredgewidth": 0.9}
            drawn += ax.plot(x, y, label=f"{few} {word}", **look)
            if symbol:
                mark, colour = symbol
                ax.plot(x, y - 0.22, mark, color=colour, markersize=4, markeredgewidth=0)
        ax.set_xlim(-0.7, 100 / ROWS - 0.3)
        ax.set_ylim(-ROWS + 0.3, 0.7)
        ax.set_axis_off()
        return drawn
