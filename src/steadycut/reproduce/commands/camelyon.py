"""``steadycut reproduce camelyon``: CAMELYON16/17 and a tile model -> the paper's tables."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli import score_slides as slide_opt
from steadycut.cli.output import show, to_json, write_folder
from steadycut.cli.progress import progress_on_terminal
from steadycut.cli.skipped import exit_if_skipped, note_skipped
from steadycut.core.checks import check_count
from steadycut.pipelines.skipped import refuse_if_nothing
from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from steadycut.pipelines.slides.options import wanted_mpp
from steadycut.pipelines.slides.reader import import_openslide
from steadycut.reproduce.camelyon import camelyon_tables, origins
from steadycut.reproduce.camelyon_files import find_camelyon
from steadycut.reproduce.claims import SCHEMA
from steadycut.reproduce.commands.shared import FOLDER, Force, Replicates, ReproduceOut, check_run
from steadycut.reproduce.findings import table_page
from steadycut.study.options import study_options

FILES = ("camelyon.json", "camelyon.md")

Data = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder that holds CAMELYON16, CAMELYON17 or both.")
]
ItcPositive = Annotated[
    bool, typer.Option("--itc-positive", help="Isolated tumour cells count as metastasis.")
]


def camelyon_command(
    data: Data,
    model: slide_opt.Model,
    tile: slide_opt.Tile = 256,
    mpp: slide_opt.Mpp = None,
    magnification: slide_opt.Magnification = None,
    slide_mpp: slide_opt.SlideMpp = None,
    min_tissue: slide_opt.MinTissue = 0.25,
    normalize: slide_opt.Normalize = "unit",
    layout: slide_opt.Layout = "auto",
    activation: slide_opt.Activation = "none",
    output: slide_opt.Output = None,
    positive: slide_opt.PositiveColumn = None,
    device: slide_opt.Device = "cpu",
    batch: slide_opt.Batch = 32,
    jobs: slide_opt.Jobs = 1,
    overlay: slide_opt.Overlay = False,
    itc_positive: ItcPositive = False,
    delta: opt.Delta = 0.1,
    bootstrap: opt.Bootstrap = 200,
    grid: opt.Grid = "200",
    replicates: Replicates = 20,
    seed: opt.Seed = 0,
    out: ReproduceOut = FOLDER,
    force: Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild the tables of CAMELYON16/17, from slides.

    Slides are scored once and found again in OUT/tiles. Exit code 3: some files were skipped.
    """
    check_run(out, FILES, replicates, seed, force=force)
    options: dict[str, Any] = {
        "n_bootstrap": bootstrap,
        "delta": delta,
        "grid": opt.parse_grid(grid),
    }
    study_options(**options)
    tiles = TileOptions(
        tile=tile,
        mpp=wanted_mpp(mpp, magnification),
        slide_mpp=slide_mpp,
        min_tissue=min_tissue,
        batch=batch,
    )
    how = ModelOptions(
        normalize=normalize,
        layout=layout,
        activation=activation,
        output=output,
        positive=positive,
        device=device,
    )
    import_openslide()
    scorer = TileModel(model, how)
    slides, problems = find_camelyon(data, itc_positive=itc_positive)
    job = Job(
        model=scorer,
        options=tiles,
        out=out,
        n_jobs=check_count("--jobs", jobs),
        overlay=overlay,
        sheet=origins(slides),
    )
    with progress_on_terminal() as progress:
        scored, unreadable = score_slides([one.path for one in slides], job, progress)
        refuse_if_nothing(len(scored), unreadable, "slides")
        tables, missing = camelyon_tables(
            slides, scored, replicates, {**options, "seed": seed}, progress
        )
    problems = [*problems, *unreadable, *missing]
    content = {
        "schema": SCHEMA,
        "target": "camelyon",
        "options": asdict(tiles),
        "slides": len(scored),
        "tables": tables,
        "skipped": [asdict(one) for one in problems],
    }
    page = tables_page(content)
    write_folder(out, {"camelyon.json": to_json(content), "camelyon.md": page.encode()})
    note_skipped(problems)
    show(content, page.rstrip("\n"), as_json=as_json)
    exit_if_skipped(problems)


def tables_page(content: Mapping[str, Any]) -> str:
    """Return all tables, each under its name, and what was skipped."""
    pages = [
        table_page(table).replace("# The paper's tables, rerun", f"# {name}", 1)
        for name, table in content["tables"].items()
    ]
    lost = [f"- {one['file']}: {one['reason']}" for one in content["skipped"]]
    return "\n".join([*pages, *(["# Skipped files", "", *lost, ""] if lost else [])])
