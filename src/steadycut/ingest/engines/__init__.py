"""Engines: how a request is answered. All engines give the same patients to the last bit.

An engine only brings rows together. Everything else happens outside the engines: `ingest.layout`
checks the rows and says where each belongs, `ingest.finish` turns rows into numbers, and
`ingest.patients` goes from part to part. An engine answers two questions (`engine.Engine`):

1. ``survey()``: one scan over the needed columns. Which keys occur together, in how many rows, and
   how many of these rows have finite scores? See `ingest.survey.Survey`. The counts are exact, for
   any order of rows and any number of threads.
2. ``finish(layout, patients)``: the numbers of some patients, given where rows belong. The engine
   collects the scores of these patients, leaf by leaf (a leaf is an innermost group: a slide, or
   the patient if there are no levels). It passes them to `finish.finish_part` and returns the
   result. Scores may come in any order: `finish_part` sorts them, and its sums are exact. It is a
   plain function of arrays, so an engine may run it in threads or on other machines.

``rows_at_once`` says how many rows a part may have; patients are divided into parts accordingly.

To add an engine, write one module and add a line to ``choose.ENGINES``.

==================  ==============================================================================
``choose``          which engine reads a source, and how much memory it may use
``engine``          the interface of all engines
``memory``          all rows in numpy: for small tables and for frames that are in memory anyway
``duckdb``          DuckDB scans the files; only one part is in memory at a time
``duckdb_scans``    a source as views in DuckDB; slow ones are copied to a Parquet file first
``spark``           Apache Spark: rows stay on the cluster, one row per patient comes back
``spark_session``   a Spark session, and its errors in one line
``spark_tables``    a source as a Spark DataFrame
``spark_tasks``     what the executors do, without importing Spark
==================  ==============================================================================
"""
