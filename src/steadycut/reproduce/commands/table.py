"""``steadycut reproduce table``: the paper's main and cost table for any two hospitals."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.demo import read_hospital
from steadycut.cli.reading import Reading
from steadycut.cli.tables import candidates_at, note_dropped, read_for_fit
from steadycut.datasets import simulate_two_hospitals
from steadycut.errors import BadOption
from steadycut.io.progress import progress_on_stderr
from steadycut.reproduce.commands import shared
from steadycut.reproduce.pages import table_page
from steadycut.reproduce.table import Hospitals, table_result

Data = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TABLE", help="CSV or Parquet files with two sites. [default: simulated hospitals]"
    ),
]
Column = Annotated[str | None, typer.Option(metavar="COL", help="With --data: as in compare.")]
Columns = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="With --data: as in compare.")
]
Names = Annotated[
    str | None, typer.Option(metavar="NAME[,NAME]", help="With --data: as in compare.")
]


def table_command(
    data: Data = None,
    patient: Column = None,
    score: Columns = None,
    label: Column = None,
    site: Column = None,
    internal: Names = None,
    external: Names = None,
    positive: opt.Positive = None,
    direction: opt.Direction = "ge",
    level: opt.Level = None,
    aggregate: opt.Aggregate = None,
    missing: opt.Missing = "refuse",
    cost_fn: opt.CostFn = 1.0,
    cost_fp: opt.CostFp = 1.0,
    delta: opt.Delta = 0.1,
    bootstrap: opt.Bootstrap = 200,
    grid: opt.Grid = "200",
    replicates: shared.Replicates = 20,
    seed: opt.Seed = 0,
    out: shared.ReproduceOut = shared.FOLDER,
    force: shared.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild the main and cost table, for any two hospitals.

    With --data each replicate splits the same patients again into those who choose and those who
    validate. Without it, each replicate simulates two new hospitals.
    """
    shared.check_run(out, "table", replicates, seed, force=force)
    costs = {"cost_fn": cost_fn, "cost_fp": cost_fp, "direction": direction}
    options = shared.study_settings(bootstrap, delta, grid, **costs)
    columns = {
        "patient": patient,
        "score": score,
        "label": label,
        "site": site,
        "internal": internal,
        "external": external,
    }
    check_columns(data, columns)
    seeds = range(seed, seed + replicates)
    others: Iterator[tuple[int, Hospitals]]
    if data is None:
        first = simulated(seed)
        others = ((number, simulated(number)) for number in seeds)
    else:
        first = read_two(data, columns, positive, level, aggregate, missing)
        others = ((number, first) for number in seeds)
    with progress_on_stderr() as progress:
        content = table_result(first, others, replicates, {**options, "seed": seed}, progress)
    shared.finish(out, "table", content, table_page(content), as_json=as_json)


def check_columns(data: Sequence[str] | None, columns: dict[str, Any]) -> None:
    """Refuse a table without its columns, and columns without a table."""
    given = [f"--{name}" for name, value in columns.items() if value]
    lacking = [f"--{name}" for name, value in columns.items() if not value]
    if data is None and given:
        msg = f"{given[0]} needs --data TABLE; without it the table is of simulated hospitals."
        raise BadOption(msg)
    if data is not None and lacking:
        msg = f"--data needs {', '.join(lacking)}, to say who the patients of P and Q are."
        raise BadOption(msg)


def simulated(seed: int) -> Hospitals:
    """Return the two hospitals of ``steadycut demo`` with other patients, by every aggregator."""
    cohort = simulate_two_hospitals(seed=seed)
    here, there = (list(read_hospital(cohort, name).patients.values()) for name in ("A", "B"))
    return here, there


def read_two(
    data: Sequence[str],
    columns: dict[str, Any],
    positive: str | None,
    level: Sequence[str] | None,
    aggregate: Sequence[str] | None,
    missing: str,
) -> Hospitals:
    """Read the patients of both hospitals, by every score and aggregator."""
    site = columns["site"]
    here, there = (
        opt.parse_sites(site, columns[name], f"--{name}") or [] for name in ("internal", "external")
    )
    table = read_for_fit(
        Reading(paths=tuple(data)),
        patient=columns["patient"],
        score=columns["score"],
        label=columns["label"],
        positive=positive,
        site=site,
        sites=[*here, *there],
        level=level,
        aggregate=aggregate,
        missing=missing,
    )
    note_dropped(table)
    return candidates_at(table, here), candidates_at(table, there)
