"""Before a study: how many patients for which certificate, and how surely.

``certificates`` is about the mean cost. ``power`` has the share of studies that reach a target.
"""
