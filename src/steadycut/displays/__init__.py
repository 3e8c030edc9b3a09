"""Figures of a study and of an audit.

Every display is made the same way: the constructor takes plain numbers and arrays, ``from_study``
or ``from_audit`` takes them out of a study, an audit or their JSON, and ``plot(ax=None)`` draws.
Drawing changes nothing and touches no global state of matplotlib. What a figure shows can be had
without matplotlib from `steadycut.displays.data`.
"""

from steadycut.displays.certificate import CertificateDisplay
from steadycut.displays.risk_curve import RiskCurveDisplay
from steadycut.displays.shift import ShiftDisplay
from steadycut.displays.threshold_draws import ThresholdDrawsDisplay

__all__ = [
    "CertificateDisplay",
    "RiskCurveDisplay",
    "ShiftDisplay",
    "ThresholdDrawsDisplay",
]
