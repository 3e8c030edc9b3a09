"""A certificate, term by term, as a waterfall."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.rounding import at_most, significant
from steadycut.documents.audit import CutOffAudit, LabelledCutOffAudit
from steadycut.documents.parts import CertificatePart, CostsPart
from steadycut.documents.reading import Source
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.colours import BLACK, BLUE, ORANGE, SKY
from steadycut.show.figures.display import Display, array, document_of
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class CertificateDisplay(Display):
    """Waterfall: what was observed, what is added to it, and the resulting bounds.

    Parameters
    ----------
    names, kinds
        Name and kind of each bar, from the top down. A kind is ``"observed"``, ``"added"`` or
        ``"bound"``.
    starts, widths
        Where each bar begins, and how far it reaches, shape (n_bars,).
    errors
        Standard error of each bar, NaN where it has none, shape (n_bars,).
    trivial_risk
        The risk of calling nobody, or everybody, among the same patients.
    unit
        Name of the axis.
    """

    names: list[str]
    kinds: list[str]
    starts: FloatArray
    widths: FloatArray
    errors: FloatArray
    trivial_risk: float
    unit: str = "risk"

    height: ClassVar = 1.35
    row_height: ClassVar = 0.27
    captions: ClassVar = {
        "study certificate": "The certified risk, term by term. The dashed line is the risk of "
        "calling everybody or nobody, whichever is lower.",
        "audit bounds": "Certified risk and bounds, term by term. The dashed line is the risk of "
        "calling everybody or nobody, whichever is lower.",
    }

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the certificate from a study, or from the content of ``study.json``."""
        document = document_of(StudyDocument, study)
        return cls._of_certificate(document.certificate, document.costs)

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit]) -> Self:
        """Take all bounds from an audit, or from the content of ``audit.json``.

        The bars lead from the certificate at P to (Base) and (Augmented), then to the bounds at Q.
        Without labels at Q there is only the certificate. A shape part that is not known has width
        0. All bars are at the prevalence of the patients, also where there is a target prevalence:
        the paper's bounds are so.
        """
        document = document_of(CutOffAudit, audit)
        if not isinstance(document, LabelledCutOffAudit):
            return cls._of_certificate(document.certificate, document.costs)
        trivial = document.costs.trivial_risk(document.operating_point.prevalence)
        return cls._of_bars(_audit_bars(document), trivial, document.costs)

    @classmethod
    def _of_certificate(cls, certificate: CertificatePart, costs: CostsPart) -> Self:
        bars = [
            Bar("observed", OBSERVED, certificate.risk),
            Bar("allowance for chance", ADDED, certificate.generalization),
            Bar("certified", BOUND, certificate.value),
        ]
        return cls._of_bars(bars, certificate.trivial_risk, costs)

    @classmethod
    def _of_bars(cls, bars: list[Bar], trivial_risk: float, costs: CostsPart) -> Self:
        starts, level = [], 0.0
        for bar in bars:
            starts.append(level if bar.kind == ADDED else 0.0)
            level = starts[-1] + bar.width
        return cls(
            names=[bar.name for bar in bars],
            kinds=[bar.kind for bar in bars],
            starts=array(starts),
            widths=array([bar.width for bar in bars]),
            errors=array([bar.error for bar in bars]),
            trivial_risk=trivial_risk,
            unit=risk_unit(costs),
        )

    def draw(self, ax: Any) -> Any:
        """Draw the bars."""
        places, ends = np.arange(len(self.names)), self.starts + self.widths
        drawn: list[Any] = []
        for kind, (label, colour, hatch) in LOOKS.items():
            of_kind = np.array([one == kind for one in self.kinds])
            look = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": label}
            bars = {"left": self.starts[of_kind], "height": 2 * HALF_BAR}
            drawn += ax.barh(places[of_kind], self.widths[of_kind], **bars, **look)
        for i in np.flatnonzero(self._leads_on()):
            ax.vlines(ends[i], i - HALF_BAR, i + 1 + HALF_BAR, color=BLACK, linewidth=0.7)
        limits = {"fmt": "none", "ecolor": BLACK, "capsize": 3, "elinewidth": 1.2}
        ax.errorbar(ends, places, xerr=self.errors, **limits)
        trivial = {"color": BLACK, "linestyle": DASHED, "linewidth": 1.2}
        ax.axvline(self.trivial_risk, **trivial, label="call nobody, or everybody")
        for place, kind, width in zip(places, self.kinds, self.widths.tolist(), strict=True):
            where = {"xycoords": ("axes fraction", "data"), "va": "center"}
            added = kind == ADDED
            weight = "normal" if added else "bold"
            text = at_most(width) if kind == BOUND else significant(width)
            ax.annotate(signed(width) if added else text, (1.02, place), weight=weight, **where)
        name_rows(ax, self.names)
        ax.set_xlim(left=0)
        ax.set_xlabel(self.unit)
        return drawn

    def _leads_on(self) -> list[bool]:
        """Return which bars are continued, or summed up, by the next one."""
        pairs = zip(self.kinds[:-1], self.kinds[1:], strict=True)
        return [after == ADDED or (one, after) == (ADDED, BOUND) for one, after in pairs]


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
