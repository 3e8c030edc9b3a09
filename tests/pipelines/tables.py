"""Tables that a pipeline wrote, as another program reads them."""

from pyarrow import parquet


def read_parquet(path):
    """Return the columns of a Parquet file as arrays."""
    table = parquet.read_table(path, partitioning=None)
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
