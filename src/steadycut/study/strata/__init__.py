"""Ordered risk strata: several boundaries at once.

============  =====================================================================
``options``   everything that a study of strata depends on besides the patients
``fitted``    the boundaries and everything found on the way, described and frozen
``fit``       the whole flow: graded patients -> a study
============  =====================================================================
"""
