"""Resampled patients, the thresholds drawn from them, and the radius."""
