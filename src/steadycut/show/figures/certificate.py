"""A certificate, term by term, as a waterfall."""

import math
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from steadycut.core.rounding import at_most, significant
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, ORANGE, SKY
from steadycut.show.figures.display import CutOffDisplay, array
from steadycut.show.figures.elements import DASHED, name_rows, risk_unit
from steadycut.show.words.numbers import signed

OBSERVED, ADDED, BOUND = "observed", "added", "bound"
# Each kind of bar: its name in the legend, its colour and its pattern.
LOOKS = {
    OBSERVED: ("observed", BLUE, ""),
    ADDED: ("added", ORANGE, "//"),
    BOUND: ("upper bound", SKY, "\\\\"),
}
HALF_BAR = 0.36


class Bar(NamedTuple):
    """One bar: its name and kind, how far it reaches, and its standard error if it has one."""

    name: str
    kind: str
    width: float
    error: float = math.nan


class CertificateDisplay(CutOffDisplay):
    """Waterfall: what was observed, what is added to it, and the resulting bounds.

    The bars of an audit lead from the certificate at P to (Base) and (Augmented), then to the
    bounds at Q. Without labels at Q there is only the certificate. A shape part that is not known
    has width 0. All bars are at the prevalence of the patients, also where there is a target
    prevalence: the paper's bounds are so.
    """

    height: ClassVar = 1.35
    row_height: ClassVar = 0.27
    captions: ClassVar = {
        "study certificate": "The certified risk, term by term. The dashed line is the risk of "
        "calling everybody or nobody, whichever is lower.",
        "audit bounds": "Certified risk and bounds, term by term. The dashed line is the risk of "
        "calling everybody or nobody, whichever is lower.",
    }

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        super().__init__(document)
        certificate = document.certificate
        self.bars = [
            Bar("observed", OBSERVED, certificate.risk),
            Bar("allowance for chance", ADDED, certificate.generalization),
            Bar("certified", BOUND, certificate.value),
        ]
        self.trivial_risk = certificate.trivial_risk
        if isinstance(document, LabelledCutOffAudit):
            self.bars = _audit_bars(document)
            prevalence = document.operating_point.prevalence
            self.trivial_risk = document.costs.trivial_risk(prevalence)
        self.names = [bar.name for bar in self.bars]

    @property
    def starts(self) -> list[float]:
        """Where each bar begins: what is added begins where the bar before it ends."""
        starts, level = [], 0.0
        for bar in self.bars:
            starts.append(level if bar.kind == ADDED else 0.0)
            level = starts[-1] + bar.width
        return starts

    def draw(self, ax: Any) -> Any:
        """Draw the bars."""
        starts, widths = array(self.starts), array([bar.width for bar in self.bars])
        places, ends = np.arange(len(self.bars)), starts + widths
        drawn: list[Any] = []
        for kind, (label, colour, hatch) in LOOKS.items():
            of_kind = np.array([bar.kind == kind for bar in self.bars])
            look = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": label}
            bars = {"left": starts[of_kind], "height": 2 * HALF_BAR}
            drawn += ax.barh(places[of_kind], widths[of_kind], **bars, **look)
        for i in np.flatnonzero([leads_on(*pair) for pair in pairwise(self.bars)]):
            ax.vlines(ends[i], i - HALF_BAR, i + 1 + HALF_BAR, color=BLACK, linewidth=0.7)
        limits = {"fmt": "none", "ecolor": BLACK, "capsize": 3, "elinewidth": 1.2}
        ax.errorbar(ends, places, xerr=array([bar.error for bar in self.bars]), **limits)
        trivial = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2}
        ax.axvline(self.trivial_risk, **trivial, label="call nobody, or everybody")
        for place, bar in enumerate(self.bars):
            where = {"xycoords": ("axes fraction", "data"), "va": "center"}
            added = bar.kind == ADDED
            weight = "normal" if added else "bold"
            text = at_most(bar.width) if bar.kind == BOUND else significant(bar.width)
            text = signed(bar.width) if added else text
            ax.annotate(text, (1.02, place), weight=weight, **where)
        name_rows(ax, self.names)
        ax.set_xlim(left=0)
        ax.set_xlabel(risk_unit(self.document.costs))
        return drawn


def leads_on(bar: Bar, after: Bar) -> bool:
    """Say whether a line leads from the end of a bar to the next one."""
    return after.kind == ADDED or (bar.kind, after.kind) == (ADDED, BOUND)


def _audit_bars(document: LabelledCutOffAudit) -> list[Bar]:
    shift, seen, before = document.shift, document.risk_external, document.risk_internal
    # In older files (Base) was made of the certificate.
    exact = document.base if document.base_exact is None else document.base_exact
    certified = exact - shift.total
    return [
        Bar("observed, first hospital", OBSERVED, before),
        Bar("allowance for chance", ADDED, certified - before),
        Bar("certified, first hospital", BOUND, certified),
        Bar("more, by the paper's allowance", ADDED, document.base - exact),
        Bar("shift, prevalence", ADDED, shift.prevalence),
        Bar(f"shift, {document.names.ill}", ADDED, shift.shape_positive or 0),
        Bar(f"shift, {document.names.healthy}", ADDED, shift.shape_negative or 0),
        Bar("Base", BOUND, document.base),
        Bar("instability penalty", ADDED, document.augmented - document.base),
        Bar("Augmented", BOUND, document.augmented),
        Bar("observed here", OBSERVED, seen, document.risk_external_se),
        Bar("allowance for chance here", ADDED, document.bound_external - seen),
        Bar("direct bound here", BOUND, document.bound_external),
        Bar("Base that holds", BOUND, document.base_valid),
    ]
