"""Figures of a study, an audit, a monitor and a comparison: one module per figure.

Every figure is a `Display`. The constructor takes plain numbers and arrays. ``from_study``,
``from_audit``, ``from_monitor`` or ``from_comparison`` computes them from the object, from its
document or from the content of its JSON file; ``from_content`` does so from any of these.
``plot(ax=None)`` draws. Drawing changes nothing and does not touch the global state of matplotlib.
Only ``plot`` needs matplotlib: a page draws on the axes of `steadycut.show.svg`, which have the
methods that the figures call. `displays_of` returns all figures of one document.

===================  ==============================================================================
``calibration``      the share of ill patients by a score that is a probability
``colours``          colours that the figures share
``comparison``       rules compared: their risk at the first hospital and at the other one
``decision_curve``   net benefit of the cut-off by threshold probability
``display``          what every figure can do: be made from a document, and be drawn
``elements``         patterns of lines, marks and labels that the figures share
``flips``            how often a resampled study would decide differently, by the score of a patient
``label_path``       labels one at a time: the smallest upper limit of the cost after each label
``monitor``          a rule in use: the confidence sequence as patients arrive
``patients``         every patient by class along the score, with the errors of the cut-off
``people``           a hundred patients as icons: found, missed, false alarms
``risk_curve``       risk of the choosing patients along the cut-off
``roc``              the ROC curve with the cut-off marked, here and at the first hospital
``scores``           scores by class at one or two hospitals, as the share that a cut-off calls
``sites``            a forest plot of hospitals: the cost at each, and the limits for the next one
``threshold_draws``  where the cut-off falls when the patients are resampled
===================  ==============================================================================
"""

from typing import TYPE_CHECKING

# One line per figure: type checkers and editors read them, and `DISPLAYS` is made from them.
from steadycut.show.figures.calibration import CalibrationDisplay as CalibrationDisplay
from steadycut.show.figures.comparison import ComparisonDisplay as ComparisonDisplay
from steadycut.show.figures.decision_curve import DecisionCurveDisplay as DecisionCurveDisplay
from steadycut.show.figures.display import Display as Display
from steadycut.show.figures.display import any_document
from steadycut.show.figures.flips import FlipsDisplay as FlipsDisplay
from steadycut.show.figures.label_path import LabelPathDisplay as LabelPathDisplay
from steadycut.show.figures.monitor import MonitorDisplay as MonitorDisplay
from steadycut.show.figures.patients import PatientsDisplay as PatientsDisplay
from steadycut.show.figures.people import PeopleDisplay as PeopleDisplay
from steadycut.show.figures.risk_curve import RiskCurveDisplay as RiskCurveDisplay
from steadycut.show.figures.roc import RocDisplay as RocDisplay
from steadycut.show.figures.scores import ScoresDisplay as ScoresDisplay
from steadycut.show.figures.sites import SitesDisplay as SitesDisplay
from steadycut.show.figures.threshold_draws import ThresholdDrawsDisplay as ThresholdDrawsDisplay

# All figures by name.
DISPLAYS: dict[str, type[Display]] = {
    kind.name(): kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Display) and kind is not Display
}
if not TYPE_CHECKING:
    __all__ = ["DISPLAYS", "Display", "displays_of"]
    __all__ += [display.__name__ for display in DISPLAYS.values()]


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
