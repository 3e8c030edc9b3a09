"""What every figure can do: be made from a document, and be drawn."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument, CutOffAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.reading import Document, Source, described, read_document, schema_of
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption, BadPatients
from steadycut.io.packages import optional_package
from steadycut.study.fit import fit

# Inches.
WIDTH = 5.2
# Above the axes, where it hides nothing.
PLACE: Any = {"loc": "lower right", "bbox_to_anchor": (1, 1.01), "ncols": 2, "frameon": False}
SPACE: Any = {"borderaxespad": 0, "borderpad": 0.2, "handlelength": 1.6, "columnspacing": 1.2}
# The constructor that takes each kind of document.
MAKERS: dict[type[Part], str] = {
    StudyDocument: "from_study",
    CutOffAudit: "from_audit",
    MonitorDocument: "from_monitor",
    ComparisonDocument: "from_comparison",
    AdaptationDocument: "from_adaptation",
}
# The audit of another kind of rule has the same schema, and no figures.
KINDS: dict[str, type[Part]] = {schema_of(kind): kind for kind in MAKERS}
KINDS[schema_of(AuditDocument)] = AuditDocument


class Display:
    """A figure: ``from_...`` takes the document that has its data, ``plot`` draws.

    A new figure is ``width`` and ``height`` inches large, and ``row_height`` higher for each of
    its named rows. The keys of ``captions`` are the sections that show it, as ``"study choice"``;
    their texts may hold ``{names.ill}``. Figures of one section come by ``rank``, then by name.
    """

    # As in scikit-learn: where it was drawn. They are there after `plot`.
    ax_: Any
    figure_: Any
    width: ClassVar[float] = WIDTH
    height: ClassVar[float] = 3.9
    row_height: ClassVar[float] = 0
    captions: ClassVar[Mapping[str, str]] = {}
    rank: ClassVar[int] = 0

    @classmethod
    def name(cls) -> str:
        """Return the name of the figure: that of its module, with hyphens."""
        return cls.__module__.rpartition(".")[2].replace("_", "-")

    @classmethod
    def makers(cls) -> dict[type[Part], str]:
        """Return the kinds of documents that the figure takes, with its constructors."""
        return {kind: name for kind, name in MAKERS.items() if hasattr(cls, name)}

    @classmethod
    def from_content(cls, source: object) -> Self:
        """Make the figure from any document that it takes, or from the content of its file."""
        document = any_document(source)
        for kind, name in cls.makers().items():
            if isinstance(document, kind):
                made: Self = getattr(cls, name)(document)
                return made
        allowed = " or ".join(repr(schema_of(kind)) for kind in cls.makers())
        given = schema_in(document)
        raise BadOption(f"{cls.__name__} takes content with the schema {allowed}; got {given!r}.")

    @classmethod
    def try_from(cls, source: object) -> Self | None:
        """Make the figure, or return None where the document lacks the data for it."""
        try:
            return cls.from_content(source)
        except BadPatients:  # no sites, no labels, a class without patients
            return None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any | None = None, **style: Any) -> Self:
        """Draw the figure of the study in a fitted `StableThreshold` or classifier."""
        study = getattr(estimator, "study_", None)
        if study is None:
            raise BadOption(
                f"{cls.__name__}.from_estimator takes a fitted StableThreshold or "
                f"StableThresholdClassifier; got an object of type {type(estimator).__name__!r}. "
                "Call fit on it first."
            )
        return cls.from_content(study).plot(ax, **style)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_score: ArrayLike, *, ax: Any | None = None, **options: Any
    ) -> Self:
        """Choose a cut-off on one score per patient, and draw the figure of that study.

        ``options`` are those of `steadycut.fit`, such as ``rule`` or ``cost_fn``.
        """
        patients = PatientScores(scores=y_score, labels=y_true)
        return cls.from_content(fit(patients, **options)).plot(ax)

    def plot(self, ax: Any | None = None, **style: Any) -> Self:
        """Draw on ``ax``, or on a new figure that pyplot does not know.

        Parameters
        ----------
        ax
            Axes of matplotlib.
        **style
            Properties of the main curves, points or bars, such as ``color="black"``.

        Returns
        -------
        Display
            The display itself, with the axes as ``ax_`` and the figure as ``figure_``.
        """
        with optional_package("a figure", "matplotlib", "plot"):
            from matplotlib.artist import setp
            from matplotlib.figure import Figure
        self._is_new = ax is None
        if ax is None:
            ax = Figure(figsize=self.size(), layout="constrained").subplots()
        drawn = self.draw(ax)
        if style:
            setp(drawn, **style)
        ax.spines[["top", "right"]].set_visible(False)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(**PLACE, **SPACE, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def size(self) -> tuple[float, float]:
        """Return width and height of a new figure, in inches."""
        return self.width, self.height + self.row_height * len(getattr(self, "names", ()))

    def draw(self, ax: Any) -> Any:
        """Draw on axes, and return the main curves, points or bars.

        The axes are those of matplotlib, or in a page those of `steadycut.show.svg`.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: plot() draws it; then ax_ and figure_ are there>"

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook; not if it was drawn on the user's own axes."""
        if not getattr(self, "_is_new", False):
            return None
        stream = BytesIO()
        self.figure_.savefig(stream, format="png", dpi=110)
        return stream.getvalue()


class StudyDisplay(Display):
    """A figure of a study."""

    def __init__(self, study: StudyDocument) -> None:
        self.study = study

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the data from a study, or from the content of ``study.json``."""
        return cls(document_of(StudyDocument, study))


class CutOffDisplay(Display):
    """A figure of a cut-off: where it was chosen, or where it was audited."""

    def __init__(self, document: StudyDocument | CutOffAudit) -> None:
        self.document = document

    @classmethod
    def from_study(cls, study: Source[StudyDocument]) -> Self:
        """Take the data from a study, or from the content of ``study.json``."""
        return cls(document_of(StudyDocument, study))

    @classmethod
    def from_audit(cls, audit: Source[CutOffAudit]) -> Self:
        """Take the data from an audit, or from the content of ``audit.json``."""
        return cls(document_of(CutOffAudit, audit))


def any_document(source: object) -> object:
    """Return the document of an object or of the content of a file; other content as it is."""
    document = source if isinstance(source, tuple(MAKERS)) else described(source)
    if isinstance(document, Mapping) and document.get("schema") in KINDS:
        return read_document(KINDS[document["schema"]], document)
    return document


def document_of(kind: type[Document], source: Source[Document]) -> Document:
    """Return the document of a kind, whichever form it comes in."""
    document = source if isinstance(source, kind) else described(source)
    if isinstance(document, kind):
        return document
    return read_document(kind, document.to_plain() if isinstance(document, Part) else document)


def schema_in(document: object) -> object:
    """Return the schema that a document, or the content of a file, names."""
    if isinstance(document, Mapping):
        return document.get("schema")
    return getattr(document, "schema_", None)


def array(values: Any) -> FloatArray:
    """Return numbers as an array, with NaN for None."""
    return np.array(values, dtype=np.float64)


def finite_cuts(cuts: FloatArray) -> FloatArray:
    """Return the cut-offs that lie on an axis; refuse to draw if all call everybody or nobody."""
    if np.isinf(cuts).all():
        msg = "these cut-offs call everybody or nobody, whatever the score; there is no axis."
        raise BadPatients(msg)
    return cuts[np.isfinite(cuts)]
