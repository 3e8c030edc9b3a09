"""Engines: how a request is answered. All give the same patients to the last bit.

What is asked (`Request`) and what follows from it stand outside: `ingest.layout` checks the rows
and says where each belongs, `ingest.finish` turns rows into numbers, `ingest.patients` goes from
part to part. An engine only brings rows together. It answers two questions (`engine.Engine`):

1. ``survey()``: one scan over the needed columns. Which keys occur together, in how many rows, how
   many of these have finite scores? See `ingest.survey.Survey`. Counts are exact, whatever the
   order of rows or the number of threads.
2. ``finish(layout, patients)``: the numbers of some patients, given where rows belong. The engine
   collects the scores of these patients, leaf by leaf (a leaf is an innermost group: a slide, or
   the patient himself), hands them to `finish.finish_part` and returns what that returns. Scores
   may come in any order: `finish_part` sorts, and its sums are exact. It is a plain function of
   arrays, so that an engine may run it elsewhere: in threads, or on other machines.

``rows_at_once`` says how many rows a part may have; patients are dealt to parts accordingly.

============  ====================================================================================
``engine``    the interface
``memory``    all rows in numpy; for small tables and for frames that are in memory anyway
``duckdb``    out of core: files are scanned, memory is bounded, nothing but a part is kept
``spark``     on a cluster: rows stay there, one row a patient comes back
``choose``    ``auto``: which engine a source gets
============  ====================================================================================
"""
