"""An engine and what is asked of it -> patients, part by part."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from steadycut.core.clusters import Clusters, clusters_from
from steadycut.core.records import PatientScores
from steadycut.ingest.engines.engine import Engine
from steadycut.ingest.finish import Finished, join_finished
from steadycut.ingest.layout import Dropped, Layout, asked_groups, lay_out
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey

Progress = Callable[[str, int, int], None]
WORK = "aggregating rows"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatientTable:
    """Patients by (score column, aggregator), and what was left out on the way.

    Every entry of ``patients`` holds the same patients. ``n_rows`` counts the rows of the sites
    that are asked for, and ``dropped`` what was left out of them. ``clusters`` says, by score
    column, how alike the rows of a patient are; None where that is not defined. ``asked`` is what
    the engine found out about these rows before it aggregated them.
    """

    patients: Mapping[tuple[str, str], PatientScores]
    n_rows: int
    dropped: Dropped
    clusters: Mapping[str, Clusters | None] = field(default_factory=dict)
    asked: Survey

    @property
    def n_dropped(self) -> int:
        """How many rows without a usable score were left out."""
        return self.dropped.rows

    @property
    def n_patients_dropped(self) -> int:
        """How many patients had no other rows."""
        return self.dropped.patients


def build_patients(
    engine: Engine, request: Request, progress: Progress | None = None
) -> PatientTable:
    """Check the rows of a table and aggregate them to patients.

    Returns
    -------
    PatientTable
        To the last bit the same for any order of rows and any engine.
    """
    survey = engine.survey()
    layout = lay_out(survey, request)
    finished = _finish_parts(engine, layout, progress)
    return PatientTable(
        patients=_patients(layout, finished, request),
        n_rows=layout.n_rows,
        dropped=layout.dropped,
        clusters={name: _clusters(layout, finished, name) for name in request.scores},
        asked=asked_groups(survey, request),
    )


def _finish_parts(engine: Engine, layout: Layout, progress: Progress | None) -> Finished:
    say = progress or (lambda *_: None)
    rows = layout.n_instances
    total, parts = int(rows.sum()), []
    for patients in layout.parts(engine.rows_at_once):
        before = int(rows[: patients.start].sum())
        parts.append(engine.finish(layout, patients, partial(_advance, say, before, total)))
        say(WORK, int(rows[: patients.stop].sum()), total)
    return join_finished(parts)


def _advance(say: Progress, before: int, total: int, rows: int) -> None:
    say(WORK, before + rows, total)


def _patients(
    layout: Layout, finished: Finished, request: Request
) -> dict[tuple[str, str], PatientScores]:
    return {
        (score, how): PatientScores(
            scores=numbers,
            labels=layout.labels,
            patients=layout.patients,
            sites=layout.sites,
            n_instances=layout.n_instances,
            recipe=request.recipe(score, how),
        )
        for (score, how), numbers in finished.scores.items()
    }


def _clusters(layout: Layout, finished: Finished, score: str) -> Clusters | None:
    return clusters_from(finished.clusters[score], layout.labels)
