"""Figures of a study, an audit, a monitor and a comparison: one module per figure.

Every figure is a `Display`. The constructor takes plain numbers and arrays. ``from_study``,
``from_audit``, ``from_monitor`` or ``from_comparison`` computes them from the object, from its
document or from the content of its JSON file; ``from_content`` does so from any of these.
``plot(ax=None)`` draws. Drawing changes nothing and does not touch the global state of matplotlib.
Only ``plot`` needs matplotlib: a page draws on the axes of `steadycut.show.svg`, which have the
methods that the figures call. `displays_of` returns all figures of one document.

The modules:
"""

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any

from steadycut.show.figures.display import Display, any_document

# The modules are found, not named: a new figure is one new module.
_MODULES = [import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
_LINES = [f"- `{one.__name__}`: {str(one.__doc__).splitlines()[0]}" for one in _MODULES]
__doc__ = "\n".join([str(__doc__), *_LINES])
# All figures by name.
DISPLAYS: dict[str, type[Display]] = {
    found.name(): found
    for module in _MODULES
    for found in vars(module).values()
    if isinstance(found, type) and issubclass(found, Display) and found is not Display
}
globals().update({display.__name__: display for display in DISPLAYS.values()})
__all__ = ["DISPLAYS", "Display", "displays_of"]
__all__ += [display.__name__ for display in DISPLAYS.values()]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def displays_of(source: object) -> dict[str, Display]:
    """Return every figure that a document has, by name; those it lacks the data for are left out.

    Parameters
    ----------
    source
        A study, an audit, a monitor or a comparison, its document, or the content of its JSON file.
    """
    document = any_document(source)
    made = {
        name: display.try_from(document)
        for name, display in DISPLAYS.items()
        if isinstance(document, tuple(display.makers()))
    }
    return {name: display for name, display in made.items() if display is not None}
