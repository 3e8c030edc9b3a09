"""The edge in: any table of instances -> `PatientScores`, one row a patient.

Files in the order in which the data travel:

===============  ==================================================================
``request``      what is asked: columns, levels, aggregators, what to do with gaps
``columns``      the columns that a table has, against those that are asked for
``raw``          columns as every engine hands them on: codes and floats
``from_files``   CSV, TSV and Parquet files -> raw columns, through DuckDB
``from_frame``   pandas, polars, Arrow, a dict of arrays, ... -> raw columns
``labels``       label texts -> 0 and 1
``sites``        the rows, and the patients, of given sites
``patients``     raw columns -> patients; every check of rows is here
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
