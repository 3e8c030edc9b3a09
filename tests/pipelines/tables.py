"""Tables that a pipeline wrote, as another program reads them."""

from pyarrow import parquet


def read_parquet(path):
    """Return the columns of a Parquet file as arrays."""
    with path.open("rb") as file:
        table = parquet.ParquetFile(file).read()
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
