"""An engine and a request give patients, part by part."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.clusters import Clusters, ClusterSums, clusters_from
from steadycut.core.checks import IntArray
from steadycut.core.odd import code_warnings, repeat_warnings
from steadycut.core.records import PatientScores
from steadycut.errors import Warned
from steadycut.ingest.engines.engine import Advance, Engine
from steadycut.ingest.finish import Finished, from_arrays, join_finished, to_arrays
from steadycut.ingest.layout import Dropped, Layout, lay_out
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey
from steadycut.io.checkpoint import Checkpoint

Progress = Callable[[str, int, int], None]
WORK = "aggregating rows"


# Opens a place for finished parts.
Keep = Callable[[], AbstractContextManager[Checkpoint]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatientTable:
    """Patients by (score column, aggregator), and what was left out on the way.

    Every entry of ``patients`` holds the same patients. ``n_rows`` counts the rows of the asked
    sites, and ``dropped`` what was left out of them. ``clusters`` says, by score column, how
    similar the rows of a patient are, if the request asks for it; None where that is not defined.
    ``order`` is the place of each patient in the order of arrival, if it is asked for. ``warnings``
    say what looks odd about the rows, and ``joined`` by what tables were joined. ``elsewhere`` are
    the sites of the table that were not asked for.
    """

    patients: Mapping[tuple[str, str], PatientScores]
    n_rows: int
    dropped: Dropped
    clusters: Mapping[str, Clusters | None] = field(default_factory=dict)
    order: IntArray | None = None
    warnings: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


def build_patients(
    engine: Engine, request: Request, progress: Progress | None = None, keep: Keep | None = None
) -> PatientTable:
    """Check the rows of a table and aggregate them to patients.

    Parameters
    ----------
    engine
        What brings the rows together.
    request
        What is asked.
    progress
        Called with a text, the number of rows done and the number of all rows.
    keep
        Opens a place for finished parts, if there are several; parts that are found there are not
        computed again.

    Returns
    -------
    PatientTable
        The same to the last bit for any order of rows and any engine.
    """
    survey = engine.survey()
    layout = lay_out(survey, request)
    parts = list(_finish_parts(engine, layout, request, progress, keep))
    finished = join_finished(parts, request)
    patients = _patients(layout, finished, request)
    labels = next(iter(patients.values())).labels
    return PatientTable(
        patients=patients,
        n_rows=layout.n_rows,
        dropped=layout.dropped,
        clusters={
            name: clusters_from(sums, None if labels is None else labels[layout.has_score])
            for name, sums in finished.clusters.items()
        },
        order=layout.order,
        warnings=tuple(dict.fromkeys([*_codes(survey, layout), *_copies(finished)])),
        elsewhere=layout.elsewhere,
    )


def _codes(survey: Survey, layout: Layout) -> Iterator[str]:
    """Warn of numbers such as -999 in a score column, in the rows that are used."""
    leaf_of = layout.leaf_of[survey.group]
    used = leaf_of >= 0
    who = np.searchsorted(layout.first_leaf, leaf_of[used], side="right")
    for facts in survey.scores.values():
        yield from code_warnings(facts.largest[used], who)


def _copies(finished: Finished) -> list[str]:
    """Warn if rows are repeated: all scores of a patient are equal, or every row occurs again."""
    sums = list(finished.clusters.values())
    several = sums[0].sizes > 1 if sums else np.zeros(0, dtype=bool)
    if not several.any():
        return []
    if not all(_are_equal(cluster)[several].all() for cluster in sums):
        return repeat_warnings(math.gcd(*(int(np.gcd.reduce(cluster.repeats)) for cluster in sums)))
    count = int(np.count_nonzero(several))
    text = Warned.of("copies")(
        f"{count} of {several.size} patients have several rows, and all rows of a patient "
        "have the same score. Are rows repeated, or was a score per patient copied to every row?"
    )
    return [text]


def _are_equal(sums: ClusterSums) -> NDArray[np.bool_]:
    """Return whether all rows of each patient are equal; their mean may be rounded."""
    rounding = 4 * np.finfo(np.float64).eps * np.abs(sums.means)
    return sums.squares <= sums.sizes * rounding**2


def _finish_parts(
    engine: Engine, layout: Layout, request: Request, progress: Progress | None, keep: Keep | None
) -> Iterator[Finished]:
    say = progress or (lambda *_: None)
    rows, parts = layout.n_instances, layout.parts(engine.rows_at_once)
    total = int(rows.sum())
    with keep() if keep and len(parts) > 1 else nullcontext() as store:
        for patients in parts:
            before = int(rows[: patients.start].sum())
            compute = partial(engine.finish, layout, patients, _advance(say, before, total))
            yield compute() if store is None else _kept(store, layout, patients, request, compute)
            say(WORK, int(rows[: patients.stop].sum()), total)


def _kept(
    store: Checkpoint,
    layout: Layout,
    patients: range,
    request: Request,
    compute: Callable[[], Finished],
) -> Finished:
    """Return a part that was finished before, or finish it and keep it."""
    step, whose = f"patients-{patients.start}-{patients.stop}", _whose(layout, patients)
    stored = store.load(step)
    if stored is not None and np.array_equal(stored["whose"], whose):
        return from_arrays(stored, request)
    finished = compute()
    store.save(step, whose=whose, **to_arrays(finished))
    return finished


def _whose(layout: Layout, patients: range) -> NDArray[np.uint8]:
    """Return a digest of who the patients of a part are, and how many rows they have."""
    some = slice(patients.start, patients.stop)
    digest = sha256("\x1f".join(layout.patients[some].tolist()).encode())
    digest.update(layout.sizes[layout.leaves(patients)].tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _advance(say: Progress, before: int, total: int) -> Advance:
    return lambda rows: say(WORK, before + rows, total)


def _patients(
    layout: Layout, finished: Finished, request: Request
) -> dict[tuple[str, str], PatientScores]:
    def spread(numbers: NDArray[Any], empty: float) -> NDArray[Any]:
        """Return numbers of patients with a score as those of all."""
        of_all = np.full(layout.has_score.size, empty, dtype=numbers.dtype)
        of_all[layout.has_score] = numbers
        return of_all

    return {
        (request.named(score), how): PatientScores(
            scores=spread(numbers, np.nan),
            labels=layout.labels,
            patients=layout.everyone,
            sites=layout.sites,
            n_instances=spread(layout.n_instances, 0),
            n_units=spread(finished.n_units, 0) if request.levels else None,
            time=layout.time,
            event=layout.event,
            attributes={request.named(name): values for name, values in layout.attributes.items()},
            recipe=replace(request.recipe(score, how), negative=layout.negative),
        )
        for (score, how), numbers in finished.scores.items()
    }
