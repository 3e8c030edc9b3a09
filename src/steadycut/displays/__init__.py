"""Figures of a study, an audit, a monitor and a comparison.

Every display is made the same way: the constructor takes plain numbers and arrays,
``from_study``, ``from_audit``, ``from_monitor`` or ``from_comparison`` takes them out of the object
or of its JSON, ``from_content`` out of whichever JSON it is, and ``plot(ax=None)`` draws. Drawing
changes nothing and touches no global state of matplotlib. What a figure shows can be had without
matplotlib from `steadycut.displays.data`; `displays_of` gives all figures of a JSON file.
"""

from steadycut.displays.all_of import DISPLAYS, displays_of
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

__all__ = [
    "DISPLAYS",
    "CandidatesDisplay",
    "CertificateDisplay",
    "ComparisonDisplay",
    "CostsDisplay",
    "DecisionCurveDisplay",
    "Display",
    "FlipsDisplay",
    "ModulusDisplay",
    "MonitorDisplay",
    "RiskCurveDisplay",
    "ScoresDisplay",
    "ShiftDisplay",
    "SitesDisplay",
    "ThresholdDrawsDisplay",
    "displays_of",
]
