"""Ordered risk strata: several boundaries at once.

============  =====================================================================
``options``   everything that a study of strata depends on besides the patients
``fitted``    the boundaries and everything found on the way, as plain data
``describe``  what is written about them, and the frozen file
``fit``       the whole flow: graded patients -> a study
============  =====================================================================
"""
