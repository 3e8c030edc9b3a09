"""All figures that the content of a JSON file has."""

from collections.abc import Mapping
from typing import Any

from steadycut.displays.candidates import CandidatesDisplay
from steadycut.displays.certificate import CertificateDisplay
from steadycut.displays.comparison import ComparisonDisplay
from steadycut.displays.costs import CostsDisplay
from steadycut.displays.decision_curve import DecisionCurveDisplay
from steadycut.displays.display import Display
from steadycut.displays.flips import FlipsDisplay
from steadycut.displays.modulus import ModulusDisplay
from steadycut.displays.monitor import MonitorDisplay
from steadycut.displays.risk_curve import RiskCurveDisplay
from steadycut.displays.scores import ScoresDisplay
from steadycut.displays.shift import ShiftDisplay
from steadycut.displays.sites import SitesDisplay
from steadycut.displays.threshold_draws import ThresholdDrawsDisplay
from steadycut.errors import BadPatients

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
    found = {}
    for name, display in DISPLAYS.items():
        if display.takes(content.get("schema")):
            try:
                found[name] = display.from_content(content)
            except BadPatients:  # no sites, no labels, a class without patients
                continue
    return found
