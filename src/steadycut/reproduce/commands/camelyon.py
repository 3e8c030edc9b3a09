"""``steadycut reproduce camelyon``: CAMELYON16/17 and a tile model -> the paper's tables."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from steadycut.cli import options as opt
from steadycut.cli import score_slides as slide_opt
from steadycut.core.checks import check_count
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.skipped import refuse_if_nothing
from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from steadycut.pipelines.slides.options import wanted_mpp
from steadycut.pipelines.slides.reader import import_openslide
from steadycut.reproduce.camelyon import camelyon_tables, find_camelyon, origins
from steadycut.reproduce.claims import SCHEMA
from steadycut.reproduce.commands import shared
from steadycut.reproduce.pages import tables_page

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
    replicates: shared.Replicates = 20,
    seed: opt.Seed = 0,
    out: shared.ReproduceOut = shared.FOLDER,
    force: shared.Force = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rebuild the tables of CAMELYON16/17, from slides.

    Slides are scored once and found again in OUT/tiles. Exit code 3: some files were skipped.
    """
    shared.check_run(out, "camelyon", replicates, seed, force=force)
    options = shared.study_settings(bootstrap, delta, grid)
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
    with progress_on_stderr() as progress:
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
    shared.finish(out, "camelyon", content, page, as_json=as_json, skipped=problems)
