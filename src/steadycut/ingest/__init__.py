"""From any table of instances to `PatientScores`, one row per patient.

Modules in the order in which the data travel:

================  ==================================================================
``request``       what is asked: columns, levels, aggregators, what to do with gaps
``read``          the whole way: `read_patients` and `aggregate`
``column_names``  the columns that a table has, against those that are asked for
``sources``       files, frames, dicts of arrays and AnnData become a `Table`
``table``         a table in memory: keys as codes, scores as floats
``engines``       what brings the rows together: numpy, DuckDB or Spark
``survey``        what a first scan of a table tells
``identifiers``   identifiers that stand for nobody, or that may be one patient
``sites``         the groups of rows, and the patients, of given sites
``sheet``         which columns a second table adds, and by which column they are joined
``join``          the one step that joins: what an engine surveyed gets these columns
``layout``        where every row belongs; every check of rows is here
``finish``        the scores of some patients become their numbers
``patients``      all patients, part by part
``column``        what a sample of rows says about one column
``guess``         what each column is probably for
``preview``       the columns of a table, without anything that may identify a patient
================  ==================================================================
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
