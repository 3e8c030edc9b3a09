"""Sources: tables of any kind become a `steadycut.ingest.table.Table`.

==============  ===================================================================
``dispatch``    what kind of source it is, and which module reads it
``find``        which files are meant: paths, patterns, folders and S3 addresses
``files``       CSV, TSV and Parquet files through DuckDB, and the other files
``csv_files``   the first line of CSV and TSV files, and what is wrong in them
``records``     how many records a text file has; compressed files are unpacked
``archives``    zip archives with one table
``excel``       Excel workbooks
``arrow``       Arrow (Feather) files, and files in S3, through pyarrow
``containers``  arrays, JSON, stores of annotations, files of statistics packages
``anndata``     AnnData objects and ``.h5ad`` files
``frames``      frames of any library, and dicts of arrays
==============  ===================================================================
"""
