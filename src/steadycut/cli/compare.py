"""``steadycut compare``: every rule chooses at P and is judged at Q."""

from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, note, show, to_json, write_folder
from steadycut.cli.reading import reading_of
from steadycut.cli.tables import candidates_at, note_dropped, read_for_fit
from steadycut.io.progress import progress_on_stderr
from steadycut.show.terminal import comparison_text
from steadycut.study.compare import compare
from steadycut.study.options import study_options

InternalThere = Annotated[
    str, typer.Option("--internal", metavar="NAME[,NAME]", help="Sites to choose on.")
]
ExternalThere = Annotated[
    str, typer.Option("--external", metavar="NAME[,NAME]", help="Sites to judge on.")
]
OptionalOut = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Where to write compare.json.")
]


def compare_command(
    tables: opt.Tables,
    patient: opt.Patient,
    score: opt.Score,
    label: opt.Label,
    site: Annotated[str, typer.Option(metavar="COL", help="Column of sites.")],
    internal: InternalThere,
    external: ExternalThere,
    out: OptionalOut = None,
    positive: opt.Positive = None,
    direction: opt.Direction = "ge",
    level: opt.Level = None,
    aggregate: opt.Aggregate = None,
    cost_fn: opt.CostFn = 1.0,
    cost_fp: opt.CostFp = 1.0,
    target_prevalence: opt.TargetPrevalence = None,
    stratified: opt.Stratified = False,
    select: opt.Select = "risk",
    honesty: opt.Honesty = "split",
    bound: opt.BoundName = "auto",
    delta: opt.Delta = 0.1,
    bootstrap: opt.Bootstrap = 200,
    stratify: opt.Stratify = None,
    grid: opt.Grid = "200",
    seed: opt.Seed = 0,
    missing: opt.Missing = "refuse",
    engine: opt.EngineName = "auto",
    memory: opt.Memory = None,
    resume: opt.Resume = False,
    as_json: opt.AsJson = False,
) -> None:
    """Choose by every rule at some sites, and judge at others.

    Each rule chooses a cut-off at the internal sites. It is frozen, then judged at the external
    ones.
    """
    if out is not None:
        check_folder(out)
    within, strata_columns = opt.parse_stratify(stratify, label, site)
    options: dict[str, Any] = {
        "cost_fn": cost_fn,
        "cost_fp": cost_fp,
        "target_prevalence": opt.parse_prevalence(target_prevalence),
        "direction": direction,
        "grid": opt.parse_grid(grid),
        "n_bootstrap": bootstrap,
        "stratify": within,
        "delta": delta,
        "honesty": honesty,
        "stratified": stratified,
        "bound": bound,
        "selector": select,
        "seed": seed,
    }
    study_options(**options)
    here = opt.parse_sites(site, internal, "--internal") or []
    there = opt.parse_sites(site, external, "--external") or []
    reading = reading_of(tables, engine=engine, memory=memory, resume=resume, out=out)
    table = read_for_fit(
        reading,
        patient=patient,
        score=score,
        label=label,
        positive=positive,
        site=site,
        sites=[*here, *there],
        level=level,
        aggregate=aggregate,
        missing=missing,
        attributes=strata_columns,
    )
    with progress_on_stderr() as progress:
        content = compare(
            candidates_at(table, here), candidates_at(table, there), progress=progress, **options
        ).to_dict()
    note_dropped(table)
    for warning in content["warnings"]:
        note(f"warning: {warning}")
    if out is not None:
        write_folder(out, {"compare.json": to_json(content)})
        reading.remove_checkpoint()
    show(content, comparison_text(content), as_json=as_json)
