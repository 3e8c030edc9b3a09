"""What executors do: Arrow batches in, Arrow batches out, nothing of Spark.

Three steps, each over an iterator of batches:

1. `survey_batches`: rows -> groups with the same keys. A level counts as there or not there; which
   slide a row belongs to matters only to its patient, so that groups stay as few as patients.
2. `plain_batches`: rows -> usable rows of the asked sites; keys as texts, scores as floats.
3. `finish_batches`: all usable rows of some patients -> one row a patient, with his numbers.

The first two are given the asked columns in the order of ``request.columns``, whatever their names.
Keys and scores become texts and floats by the functions that read every other table.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import nest, offsets_of
from steadycut.core.checks import FloatArray, IntArray
from steadycut.ingest.finish import Finished, Part, finish_part
from steadycut.ingest.layout import may_be_shown
from steadycut.ingest.raw import KeyColumn, RawTable
from steadycut.ingest.request import Request
from steadycut.ingest.sources.frames import read_frame
from steadycut.ingest.survey import survey_rows

# Texts that are no score are kept as examples for an error message only.
EXAMPLES = 100
PRESENT = "there"

Columns = Mapping[str, NDArray[Any] | list[Any]]
# Names of columns and their types, as Spark calls these; batches have them in this order.
Schema = dict[str, str]


def survey_schema(request: Request) -> Schema:
    """Return the columns of `survey_batches`."""
    schema = {f"key_{i}": "string" for i in range(len(request.keys))}
    schema |= {"n_rows": "bigint", "n_usable": "bigint"}
    for i in range(len(request.scores)):
        schema |= {f"n_finite_{i}": "bigint", f"n_texts_{i}": "bigint"}
        schema |= {f"largest_{i}": "double", f"texts_{i}": "array<string>"}
    return schema


def plain_schema(request: Request) -> Schema:
    """Return the columns of `plain_batches`: the patient is ``key_0``, then come levels."""
    keys = {f"key_{i}": "string" for i in range(len(request.levels) + 1)}
    return keys | {f"score_{i}": "double" for i in range(len(request.scores))}


def finish_schema(request: Request) -> Schema:
    """Return the columns of `finish_batches`: numbers in the order of scores, then aggregators."""
    n_numbers = len(request.scores) * len(request.hows)
    schema = {"patient": "string", "n_rows": "bigint", "n_units": "bigint"}
    schema |= {f"number_{i}": "double" for i in range(n_numbers)}
    for i in range(len(request.scores) if request.clusters else 0):
        schema |= {f"mean_{i}": "double", f"squares_{i}": "double"}
    return schema


def survey_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield for each batch of rows its groups, with what `ingest.survey.Survey` must know."""
    for batch in filter(len, batches):
        yield _batch(survey_columns(_read(batch, request), request), survey_schema(request))


def survey_columns(raw: RawTable, request: Request) -> Columns:
    """Return the groups of a table, a column for each fact."""
    rows, keys = survey_rows(raw), _coarse_keys(raw, request)
    codes = np.stack([column.codes for column in keys.values()])
    groups, group_of = np.unique(codes, axis=1, return_inverse=True)
    n_groups = groups.shape[1]
    columns: dict[str, Any] = {
        f"key_{i}": _texts(column, groups[i]) for i, column in enumerate(keys.values())
    }
    columns["n_rows"] = _sums(group_of, rows.n_rows, n_groups)
    columns["n_usable"] = _sums(group_of, rows.n_usable, n_groups)
    for i, facts in enumerate(rows.scores.values()):
        columns |= {
            f"n_finite_{i}": _sums(group_of, facts.n_finite, n_groups),
            f"n_texts_{i}": _sums(group_of, facts.n_texts, n_groups),
            f"largest_{i}": _largest(group_of, facts.largest, n_groups),
            f"texts_{i}": _examples(group_of, facts.texts, n_groups),
        }
    return columns


def plain_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield the usable rows of each batch: patient, levels and scores."""
    for batch in filter(len, batches):
        raw = _read(batch, request)
        kept = raw.take(_usable(raw, request))
        named = [request.patient, *(column for column, _ in request.levels)]
        columns: dict[str, Any] = {
            f"key_{i}": _texts(kept.keys[name], kept.keys[name].codes)
            for i, name in enumerate(named)
        }
        columns |= {f"score_{i}": kept.scores[name].values for i, name in enumerate(request.scores)}
        yield _batch(columns, plain_schema(request))


def finish_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield one batch with a row for each patient, from all usable rows of these patients."""
    import pyarrow as pa

    parts = list(batches)
    rows = pa.Table.from_batches(parts) if parts else None
    if rows is None or not rows.num_rows:
        return
    names, patient_of = _codes(rows["key_0"])
    levels = [_codes(rows[f"key_{i}"])[1] for i in range(1, len(request.levels) + 1)]
    leaf, *steps = nest(patient_of, levels)
    order = np.argsort(leaf, kind="stable")
    part = Part(
        offsets=offsets_of(np.bincount(leaf)),
        steps=tuple(steps),
        scores={
            name: rows[f"score_{i}"].to_numpy()[order] for i, name in enumerate(request.scores)
        },
    )
    columns = _finished_columns(finish_part(part, request))
    n_rows = np.bincount(patient_of)
    yield _batch({"patient": names, "n_rows": n_rows, **columns}, finish_schema(request))


def _finished_columns(finished: Finished) -> Columns:
    columns: dict[str, Any] = {f"number_{i}": n for i, n in enumerate(finished.scores.values())}
    columns["n_units"] = finished.n_units
    for i, sums in enumerate(finished.clusters.values()):
        columns |= {f"mean_{i}": sums.means, f"squares_{i}": sums.squares}
    return columns


def _read(batch: Any, request: Request) -> RawTable:
    import pyarrow as pa

    return read_frame(pa.table(batch.columns, names=list(request.columns)), request)


def _batch(columns: Columns, schema: Schema) -> Any:
    import pyarrow as pa

    texts = pa.string()
    types = {"string": texts, "bigint": pa.int64(), "double": pa.float64()}
    types["array<string>"] = pa.list_(texts)
    arrays = {name: pa.array(columns[name], type=types[kind]) for name, kind in schema.items()}
    return pa.RecordBatch.from_pydict(arrays)


def _coarse_keys(raw: RawTable, request: Request) -> dict[str, KeyColumn]:
    levels = {column for column, _ in request.levels}
    return {
        name: _presence(column) if name in levels else column for name, column in raw.keys.items()
    }


def _presence(column: KeyColumn) -> KeyColumn:
    return KeyColumn(codes=np.minimum(column.codes, 0), texts=(PRESENT,))


def _usable(raw: RawTable, request: Request) -> NDArray[np.bool_]:
    finite = [np.isfinite(column.values) for column in raw.scores.values()]
    usable: NDArray[np.bool_] = np.logical_and.reduce(finite)
    if request.site is None or request.sites is None:
        return usable
    column = raw.keys[request.site]
    asked = np.array([*(text in request.sites for text in column.texts), False])
    return usable & asked[column.codes]


def _texts(column: KeyColumn, codes: IntArray) -> list[str | None]:
    texts: list[str | None] = [*column.texts, None]
    return [texts[code] for code in codes.tolist()]


def _codes(column: Any) -> tuple[list[str], IntArray]:
    coded = column.combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def _sums(group_of: IntArray, counts: IntArray, n_groups: int) -> IntArray:
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, group_of, counts)
    return sums


def _largest(group_of: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    largest = np.zeros(n_groups)
    np.maximum.at(largest, group_of, values)
    return largest


def _examples(
    group_of: IntArray, texts: Mapping[int, frozenset[str]], n_groups: int
) -> list[list[str]]:
    found: list[set[str]] = [set() for _ in range(n_groups)]
    for row, some in texts.items():
        found[group_of[row]] |= set(filter(may_be_shown, some))
    return [sorted(shown)[:EXAMPLES] for shown in found]
