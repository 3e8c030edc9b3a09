"""Figures of a study, an audit, a monitor and a comparison: one module per figure.

Every figure is a `Display`. The constructor takes plain numbers and arrays. ``from_study``,
``from_audit``, ``from_monitor`` or ``from_comparison`` computes them from the object, from its
document or from the content of its JSON file; ``from_content`` does so from any of these.
``plot(ax=None)`` draws. Drawing changes nothing and does not touch the global state of matplotlib.
Only ``plot`` needs matplotlib. `displays_of` returns all figures of one document.

===================  ============================================================================
``candidates``       the scores and aggregators that were tried
``certificate``      a certificate, term by term
``comparison``       rules compared at two hospitals
``costs``            cut-off and risk at other costs
``decision_curve``   net benefit by threshold probability
``display``          what every figure can do
``elements``         colours, axes and labels that figures share
``flips``            how often a resampled study decides otherwise, by score
``modulus``          how much risk an error of the cut-off can cost
``monitor``          a rule in use, patient by patient
``risk_curve``       risk along the cut-off
``scores``           scores by class, as the share called
``shift``            the change of risk between two hospitals, part by part
``sites``            the cut-off that each site would have chosen alone
``threshold_draws``  where the cut-off falls in resampled studies
===================  ============================================================================
"""

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any

from steadycut.show.figures.display import Display, any_document

_MODULES = [import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
# All figures by name. They are found, so a new module need not be named here.
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
