"""What every figure can do: be made from a document, and be drawn."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from steadycut.core.checks import FloatArray, read_only
from steadycut.documents.adaptation import AdaptationDocument
from steadycut.documents.audit import AuditDocument
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.monitor import MonitorDocument
from steadycut.documents.parts import Part
from steadycut.documents.reading import described, read_document, schema_of
from steadycut.documents.study import StudyDocument
from steadycut.errors import BadOption, BadPatients
from steadycut.io.packages import optional_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
WIDTH = 5.2
# Above the axes, where it hides nothing.
PLACE: Any = {"loc": "lower right", "bbox_to_anchor": (1, 1.01), "ncols": 2, "frameon": False}
SPACE: Any = {"borderaxespad": 0, "borderpad": 0.2, "handlelength": 1.6, "columnspacing": 1.2}
# The constructor that takes each kind of document.
MAKERS: dict[type[Part], str] = {
    StudyDocument: "from_study",
    AuditDocument: "from_audit",
    MonitorDocument: "from_monitor",
    ComparisonDocument: "from_comparison",
    AdaptationDocument: "from_adaptation",
}


class Display:
    """A figure: the constructor takes its data, ``from_...`` computes them, ``plot`` draws.

    A new figure has ``height`` inches, and ``row_height`` more for each of its named rows.
    """

    __slots__ = ()
    height: ClassVar[float] = 3.9
    row_height: ClassVar[float] = 0

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
        found = schema_in(document)
        msg = f"{cls.__name__} takes content with the schema {allowed}; got {found!r}."
        raise BadOption(msg)

    @classmethod
    def try_from(cls, source: object) -> Self | None:
        """Make the figure, or return None where the document lacks the data for it."""
        try:
            return cls.from_content(source)
        except BadPatients:  # no sites, no labels, a class without patients
            return None

    def plot(self, ax: Any | None = None) -> "Axes":
        """Draw on ``ax``, or on a new figure that pyplot does not know, and return the axes."""
        with optional_package("a figure", "matplotlib", "plot"):
            from matplotlib.figure import Figure
        if ax is None:
            height = self.height + self.row_height * len(getattr(self, "names", ()))
            ax = Figure(figsize=(WIDTH, height), layout="constrained").subplots()
        self.draw(ax)
        ax.spines[["top", "right"]].set_visible(False)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(**PLACE, **SPACE, fontsize="small")
        return ax

    def draw(self, ax: Any) -> None:
        """Draw on axes."""
        raise NotImplementedError


def any_document(source: object) -> object:
    """Return the document of an object or of the content of a file; other content as it is."""
    found = described(source)
    kinds = {schema_of(kind): kind for kind in MAKERS}
    if isinstance(found, Mapping) and found.get("schema") in kinds:
        return read_document(kinds[found["schema"]], found)
    return found


def schema_in(document: object) -> object:
    """Return the schema that a document, or the content of a file, names."""
    if isinstance(document, Mapping):
        return document.get("schema")
    return getattr(document, "schema_", None)


def array(values: Any) -> FloatArray:
    """Return numbers as an array that cannot be changed, with NaN for None."""
    return read_only(np.array(values, dtype=np.float64))
