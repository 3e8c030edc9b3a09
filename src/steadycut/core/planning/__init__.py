"""Before a study: how many patients for which certificate, and how surely.

================  ===========================================
``certificates``  patients for a limit of the mean cost
``power``         the share of studies that reach a target
================  ===========================================
"""
