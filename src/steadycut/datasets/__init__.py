"""Simulated cohorts to try steadycut on.

=================  ======================================
``two_hospitals``  tile scores of patients at two hospitals
=================  ======================================
"""

from steadycut.datasets.two_hospitals import simulate_two_hospitals, write_two_hospitals

__all__ = ["simulate_two_hospitals", "write_two_hospitals"]
