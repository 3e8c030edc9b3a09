"""``steadycut strata``: a table of instance scores -> frozen, certified risk strata."""

from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.cli.reading import read_tables, reading_of
from steadycut.cli.strata_tables import graded_patients, names_of, read_costs
from steadycut.cli.tables import note_dropped, row_counts
from steadycut.core.strata.certify import LOSS_BOUNDS
from steadycut.errors import BadOption
from steadycut.ingest import make_request
from steadycut.show.sections.strata import render_strata
from steadycut.show.terminal_strata import strata_text
from steadycut.study.strata.fit import StrataStudy, run_strata
from steadycut.study.strata.options import strata_options

OneScore = Annotated[str, typer.Option(metavar="COL", help="Column of instance scores.")]
OneAggregate = Annotated[
    str, typer.Option("--aggregate", metavar="AGG", help="How rows become one score a patient.")
]
Costs = Annotated[
    str,
    typer.Option(
        metavar="ROWS|FILE.csv",
        help="What each stratum costs each grade, both ascending: a row for each grade, such as "
        "'0,0.5,1;4,1,0'; or a CSV file, perhaps with names.",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="LOW,MID,HIGH", help="Values of the label, ascending. [default: labels are 0/1]"
    ),
]
Strata = Annotated[
    str | None,
    typer.Option(metavar="NAME,NAME,...", help="Names of the strata, ascending."),
]
Thresholds = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        parser=opt.whole_number,
        help="Number of boundaries; a check of --costs, which has one column more.",
    ),
]
StrataRuleName = Annotated[str, typer.Option("--rule", metavar="stable|erm", help="How to choose.")]
LossBoundName = Annotated[
    str,
    typer.Option("--bound", metavar="NAME", help=f"auto, {', '.join(LOSS_BOUNDS)}, on the cost."),
]


def strata_command(
    tables: opt.Tables,
    patient: opt.Patient,
    score: OneScore,
    label: opt.Label,
    costs: Costs,
    out: opt.OutDirectory,
    positive: opt.Positive = None,
    order: Order = None,
    strata: Strata = None,
    thresholds: Thresholds = None,
    direction: opt.Direction = "ge",
    level: opt.Level = None,
    aggregate: OneAggregate = "mean",
    site: opt.Site = None,
    internal: opt.Internal = None,
    rule: StrataRuleName = "stable",
    bound: LossBoundName = "auto",
    delta: opt.Delta = 0.1,
    bootstrap: opt.Bootstrap = 200,
    grid: opt.Grid = "200",
    seed: opt.Seed = 0,
    missing: opt.Missing = "refuse",
    engine: opt.EngineName = "auto",
    memory: opt.Memory = None,
    resume: opt.Resume = False,
    as_json: opt.AsJson = False,
) -> None:
    """Choose ordered risk strata, all boundaries at once.

    Writes strata.json (to take to the next hospital), strata-study.json and strata.html.
    """
    check_folder(out)
    reading = reading_of(tables, engine=engine, memory=memory, resume=resume, out=out)
    priced = read_costs(costs)
    values = names_of("--order", order, priced.grades)
    options = strata_options(
        priced.matrix,
        n_thresholds=thresholds,
        strata=names_of("--strata", strata, priced.strata),
        grade_names=values if values is not None else _two_names(positive),
        rule=rule,
        direction=direction,
        grid=opt.parse_grid(grid),
        n_bootstrap=bootstrap,
        delta=delta,
        bound=bound,
        seed=seed,
    )
    order_of = ordered_values(values, positive, priced.matrix.n_grades)
    sites = opt.parse_sites(site, internal, "--internal")
    request = make_request(
        patient=patient,
        score=score,
        label=label if order_of is None else None,
        positive=positive,
        attributes=() if order_of is None else label,
        site=site,
        sites=sites,
        levels=list(level or ()),
        how=aggregate,
        missing=missing,
    )
    table = read_tables(request, reading)
    study = run_strata(*graded_patients(table, label, order_of), options)
    content = {**study.to_dict(), "data": row_counts(table)}
    write_folder(out, strata_files(study, content))
    reading.remove_checkpoint()
    note_dropped(table)
    end = f"\n\nWrote strata.json, strata-study.json, strata.html to {out}/"
    show(content, strata_text(content) + end, as_json=as_json)


def _two_names(positive: str | None) -> list[str] | None:
    return None if positive is None else [f"not {positive}", positive]


def ordered_values(
    order: list[str] | None, positive: str | None, n_grades: int
) -> list[str] | None:
    """Return the values of the label in order; None where labels are 0 and 1."""
    if order is not None and positive is not None:
        msg = (
            "--positive is for two grades, --order (or the names in the file of --costs) for any "
            "number; give one of them."
        )
        raise BadOption(msg)
    if order is None and n_grades > 2:  # noqa: PLR2004
        msg = (
            f"--costs has {n_grades} rows, so that --order must name the {n_grades} values of the "
            "label, from low to high."
        )
        raise BadOption(msg)
    return order


def strata_files(study: StrataStudy, content: dict[str, Any]) -> dict[str, bytes]:
    """Return the files that a study of risk strata leaves."""
    return {
        "strata.json": study.freeze().to_bytes(),
        "strata-study.json": to_json(content),
        "strata.html": render_strata(content).encode(),
    }
