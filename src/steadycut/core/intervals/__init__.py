"""Confidence intervals of rates, of areas, and of the threshold itself."""
