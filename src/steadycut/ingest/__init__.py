"""The edge in: any table of instances -> `PatientScores`, one row a patient.

Files in the order in which the data travel:

===============  ==================================================================
``request``      what is asked: columns, levels, aggregators, what to do with gaps
``columns``      the columns that a table has, against those that are asked for
``raw``          columns in memory: codes and floats
``from_files``   CSV, TSV and Parquet files -> raw columns, through DuckDB
``from_frame``   pandas, polars, Arrow, a dict of arrays, ... -> raw columns
``engines``      who brings the rows together: numpy, DuckDB, ...
``survey``       what a first look at a table tells
``labels``       label texts -> 0 and 1
``sites``        the groups of rows, and the patients, of given sites
``arrival``      the order in which patients arrived
``layout``       a survey -> where every row belongs; every check of rows is here
``finish``       the scores of some patients -> their numbers
``patients``     the whole of it, part by part
``read``         the whole way: `read_patients` and `aggregate`
===============  ==================================================================
"""

from steadycut.ingest.patients import PatientTable
from steadycut.ingest.read import aggregate, read_patients
from steadycut.ingest.request import Request, make_request, parse_level
from steadycut.ingest.sites import at_sites

__all__ = [
    "PatientTable",
    "Request",
    "aggregate",
    "at_sites",
    "make_request",
    "parse_level",
    "read_patients",
]
