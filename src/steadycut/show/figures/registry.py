"""All figures that the content of a JSON file has."""

from collections.abc import Mapping
from typing import Any

from steadycut.show.figures.candidates import CandidatesDisplay
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.figures.comparison import ComparisonDisplay
from steadycut.show.figures.costs import CostsDisplay
from steadycut.show.figures.decision_curve import DecisionCurveDisplay
from steadycut.show.figures.display import Display
from steadycut.show.figures.flips import FlipsDisplay
from steadycut.show.figures.modulus import ModulusDisplay
from steadycut.show.figures.monitor import MonitorDisplay
from steadycut.show.figures.risk_curve import RiskCurveDisplay
from steadycut.show.figures.scores import ScoresDisplay
from steadycut.show.figures.shift import ShiftDisplay
from steadycut.show.figures.sites import SitesDisplay
from steadycut.show.figures.threshold_draws import ThresholdDrawsDisplay

# In the order in which a page tells the story.
DISPLAYS: dict[str, type[Display]] = {
    "certificate": CertificateDisplay,
    "scores": ScoresDisplay,
    "risk-curve": RiskCurveDisplay,
    "threshold-draws": ThresholdDrawsDisplay,
    "modulus": ModulusDisplay,
    "flips": FlipsDisplay,
    "costs": CostsDisplay,
    "decision-curve": DecisionCurveDisplay,
    "shift": ShiftDisplay,
    "candidates": CandidatesDisplay,
    "sites": SitesDisplay,
    "comparison": ComparisonDisplay,
    "monitor": MonitorDisplay,
}


def displays_of(content: Mapping[str, Any]) -> dict[str, Display]:
    """Return every figure that this content has, by name; those it lacks data for are left out."""
    made = {
        name: display.try_from(content)
        for name, display in DISPLAYS.items()
        if display.takes(content.get("schema"))
    }
    return {name: display for name, display in made.items() if display is not None}
