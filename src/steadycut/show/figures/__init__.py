"""Figures of a study, an audit, a monitor and a comparison.

Every display is made the same way: the constructor takes plain numbers and arrays,
``from_study``, ``from_audit``, ``from_monitor`` or ``from_comparison`` takes them out of the object
or of its JSON, ``from_content`` out of whichever JSON it is, and ``plot(ax=None)`` draws. Drawing
changes nothing and touches no global state of matplotlib. What a figure shows can be had without
matplotlib from `steadycut.show.figures.data`; `displays_of` gives all figures of a JSON file.
"""

from steadycut.show.figures.candidates import CandidatesDisplay
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.figures.comparison import ComparisonDisplay
from steadycut.show.figures.costs import CostsDisplay
from steadycut.show.figures.decision_curve import DecisionCurveDisplay
from steadycut.show.figures.display import Display
from steadycut.show.figures.flips import FlipsDisplay
from steadycut.show.figures.modulus import ModulusDisplay
from steadycut.show.figures.monitor import MonitorDisplay
from steadycut.show.figures.registry import DISPLAYS, displays_of
from steadycut.show.figures.risk_curve import RiskCurveDisplay
from steadycut.show.figures.scores import ScoresDisplay
from steadycut.show.figures.shift import ShiftDisplay
from steadycut.show.figures.sites import SitesDisplay
from steadycut.show.figures.threshold_draws import ThresholdDrawsDisplay

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
