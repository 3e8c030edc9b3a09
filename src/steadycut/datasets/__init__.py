"""Cohorts to try steadycut on."""

from steadycut.datasets.two_hospitals import simulate_two_hospitals, write_two_hospitals

__all__ = ["simulate_two_hospitals", "write_two_hospitals"]
