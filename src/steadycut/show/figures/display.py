"""What every figure can do: be made from the content of a JSON file."""

from collections.abc import Mapping
from typing import Any, Self

from steadycut.errors import BadOption, BadPatients

# Schemas, and the constructors that take their content.
MAKERS = {
    "steadycut.study/1": "from_study",
    "steadycut.audit/1": "from_audit",
    "steadycut.monitor/1": "from_monitor",
    "steadycut.compare/1": "from_comparison",
}


class Display:
    """A figure: the constructor takes its data, ``from_...`` computes them, ``plot`` draws."""

    __slots__ = ()

    @classmethod
    def takes(cls, schema: object) -> bool:
        """Return whether this figure can be made from content of a schema."""
        return hasattr(cls, MAKERS.get(str(schema), ""))

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """Make the figure from the content of a JSON file, whichever of them it takes."""
        schema = content.get("schema")
        if not cls.takes(schema):
            allowed = " or ".join(repr(one) for one in MAKERS if cls.takes(one))
            msg = f"{cls.__name__} takes content with the schema {allowed}; got {schema!r}."
            raise BadOption(msg)
        made: Self = getattr(cls, MAKERS[str(schema)])(content)
        return made

    @classmethod
    def try_from(cls, content: Mapping[str, Any]) -> Self | None:
        """Make the figure, or return None where the content lacks the data for it."""
        try:
            return cls.from_content(content)
        except BadPatients:  # no sites, no labels, a class without patients
            return None

    def plot(self, ax: Any | None = None) -> Any:
        """Draw on ``ax``, or on a new figure, and return the axes."""
        raise NotImplementedError
