"""What executors do: Arrow batches in, Arrow batches out, without importing Spark.

Three steps, each over an iterator of batches:

1. `survey_batches`: rows become groups with the same keys. A level only counts as there or not
   there; the unit that a row belongs to matters only within a patient. So there are about as many
   groups as patients.
2. `plain_batches`: rows become usable rows of the asked sites, with keys as texts and scores as
   floats.
3. `finish_batches`: all usable rows of some patients become one row per patient, with the numbers.

The first two get the asked columns in the order of ``request.columns``, whatever their names are.
Keys and scores become texts and floats by the functions that read every other table.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import nest, offsets_of
from steadycut.core.checks import IntArray
from steadycut.ingest.finish import Part, finish_part, to_arrays
from steadycut.ingest.layout import may_be_shown
from steadycut.ingest.request import Request
from steadycut.ingest.sources.frames import read_frame
from steadycut.ingest.survey import FACTS, survey_rows
from steadycut.ingest.table import KeyColumn, Table

# Texts that are not scores are only kept as examples for an error message.
EXAMPLES = 100
PRESENT = "there"

Columns = Mapping[str, NDArray[Any] | list[Any]]
# Names of columns and their types in the words of Spark; batches have this order.
Schema = dict[str, str]


def survey_schema(request: Request) -> Schema:
    """Return the columns of `survey_batches`."""
    schema = {f"k{i}": "string" for i in range(len(request.keys))}
    schema |= {"n_rows": "bigint", "n_usable": "bigint"}
    for i in range(len(request.scores)):
        schema |= {f"n_finite{i}": "bigint", f"n_texts{i}": "bigint"}
        schema |= {f"largest{i}": "double", f"texts{i}": "array<string>"}
    return schema


def plain_schema(request: Request) -> Schema:
    """Return the columns of `plain_batches`: the patient is ``k0``, then come levels."""
    keys = {f"k{i}": "string" for i in range(len(request.levels) + 1)}
    return keys | {f"s{i}": "double" for i in range(len(request.scores))}


def finish_schema(request: Request) -> Schema:
    """Return the columns of `finish_batches`: those of `ingest.finish.to_arrays`, and two more."""
    n_numbers = len(request.scores) * len(request.hows)
    schema = {"patient": "string", "n_rows": "bigint", "units": "bigint"}
    schema |= {f"scores{i}": "double" for i in range(n_numbers)}
    for i in range(len(request.scores) if request.clusters else 0):
        schema |= {f"sizes{i}": "bigint", f"means{i}": "double", f"squares{i}": "double"}
        schema |= {f"repeats{i}": "bigint"}
    return schema


def survey_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield the groups of each batch of rows, with the facts for `ingest.survey.Survey`."""
    for batch in filter(len, batches):
        yield _batch(survey_columns(_read(batch, request), request), survey_schema(request))


def survey_columns(table: Table, request: Request) -> Columns:
    """Return the groups of a table, one column per fact."""
    keys = dict(table.keys)
    for name, _ in request.levels:
        keys[name] = KeyColumn(codes=np.minimum(keys[name].codes, 0), texts=(PRESENT,))
    survey, _ = survey_rows(replace(table, keys=keys)).grouped()
    columns: dict[str, Any] = {"n_rows": survey.n_rows, "n_usable": survey.n_usable}
    for i, column in enumerate(survey.keys.values()):
        columns[f"k{i}"] = _texts(column, column.codes)
    for i, facts in enumerate(survey.scores.values()):
        columns |= {f"{name}{i}": getattr(facts, name) for name in FACTS}
        columns[f"texts{i}"] = [_examples(facts.texts.get(j, ())) for j in survey.group.tolist()]
    return columns


def plain_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield the usable rows of each batch: patient, levels and scores."""
    for batch in filter(len, batches):
        table = _read(batch, request)
        kept, columns = _usable(table, request), dict[str, Any]()
        for i, name in enumerate([request.patient, *(column for column, _ in request.levels)]):
            columns[f"k{i}"] = _texts(table.keys[name], table.keys[name].codes[kept])
        for i, name in enumerate(request.scores):
            columns[f"s{i}"] = table.scores[name].values[kept]
        yield _batch(columns, plain_schema(request))


def finish_batches(batches: Iterable[Any], request: Request) -> Iterator[Any]:
    """Yield one batch with one row per patient, from all usable rows of these patients."""
    import pyarrow as pa

    parts = list(batches)
    rows = pa.Table.from_batches(parts) if parts else None
    if rows is None or not rows.num_rows:
        return
    names, patient_of = _codes(rows["k0"])
    levels = [_codes(rows[f"k{i}"])[1] for i in range(1, len(request.levels) + 1)]
    leaf, *steps = nest(patient_of, levels)
    order = np.argsort(leaf, kind="stable")
    part = Part(
        offsets=offsets_of(np.bincount(leaf)),
        steps=tuple(steps),
        scores={name: rows[f"s{i}"].to_numpy()[order] for i, name in enumerate(request.scores)},
    )
    columns = to_arrays(finish_part(part, request))
    n_rows = np.bincount(patient_of)
    yield _batch({"patient": names, "n_rows": n_rows, **columns}, finish_schema(request))


def _read(batch: Any, request: Request) -> Table:
    import pyarrow as pa

    return read_frame(pa.table(batch.columns, names=list(request.columns)), request)


def _batch(columns: Columns, schema: Schema) -> Any:
    import pyarrow as pa

    texts = pa.string()
    types = {"string": texts, "bigint": pa.int64(), "double": pa.float64()}
    types["array<string>"] = pa.list_(texts)
    arrays = {name: pa.array(columns[name], type=types[kind]) for name, kind in schema.items()}
    return pa.RecordBatch.from_pydict(arrays)


def _usable(table: Table, request: Request) -> NDArray[np.bool_]:
    finite = [np.isfinite(column.values) for column in table.scores.values()]
    usable: NDArray[np.bool_] = np.logical_and.reduce(finite)
    if request.site is None or not request.picks_sites:
        return usable
    column = table.keys[request.site]
    asked = np.array([*(request.asks_for(text) for text in column.texts), False])
    return usable & asked[column.codes]


def _texts(column: KeyColumn, codes: IntArray) -> list[str | None]:
    texts: list[str | None] = [*column.texts, None]
    return [texts[code] for code in codes.tolist()]


def _codes(column: Any) -> tuple[list[str], IntArray]:
    coded = column.combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def _examples(texts: Iterable[str]) -> list[str]:
    return sorted(filter(may_be_shown, texts))[:EXAMPLES]
