"""Ordered risk strata: several boundaries at once."""
