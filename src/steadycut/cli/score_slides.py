"""``steadycut score-slides``: whole-slide images -> one table of scored tiles each."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder
from steadycut.cli.skipped import finish_scoring
from steadycut.core.checks import check_count
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines.driver import gather_files
from steadycut.pipelines.skipped import refuse_if_nothing
from steadycut.pipelines.slides import (
    Job,
    ModelOptions,
    SlideResult,
    TileModel,
    TileOptions,
    score_slides,
)
from steadycut.pipelines.slides.options import wanted_mpp
from steadycut.pipelines.slides.reader import SLIDES, import_openslide


def _number(name: str, text: str, metavar: str = "X") -> Any:
    return typer.Option(name, metavar=metavar, parser=opt.number, help=text)


def _whole(name: str, text: str) -> Any:
    return typer.Option(name, metavar="N", parser=opt.whole_number, help=text)


Slides = Annotated[
    list[str], typer.Argument(metavar="SLIDE", help="Slide files, or folders that hold them.")
]
Model = Annotated[Path, typer.Option("--model", metavar="ONNX", help="Model that scores a tile.")]
Tile = Annotated[int, _whole("--tile", "Edge of a tile in pixels.")]
Mpp = Annotated[
    float | None, _number("--mpp", "Micrometres a pixel of the tiles. [default: 1, which is 10x]")
]
Magnification = Annotated[
    float | None, _number("--magnification", "The same as a magnification: 10/M micrometres.", "M")
]
SlideMpp = Annotated[
    float | None,
    _number("--slide-mpp", "Micrometres a pixel of the slides, where files are wrong about it."),
]
Sheet = Annotated[
    Path | None,
    typer.Option("--sheet", metavar="CSV", help="Columns slide, patient and if known label, site."),
]
MinTissue = Annotated[float, _number("--min-tissue", "Smallest share of tissue of a tile.")]
MinSharpness = Annotated[float, _number("--min-sharpness", "Smallest variance of the Laplacian.")]
MinBrightness = Annotated[float, _number("--min-brightness", "Smallest mean green, 0 to 255.")]
MaxBrightness = Annotated[float, _number("--max-brightness", "Largest mean green, 0 to 255.")]
Normalize = Annotated[
    str,
    typer.Option(metavar="HOW", help="What the model is fed: unit, imagenet, minus-one-one, none."),
]
Layout = Annotated[
    str, typer.Option(metavar="auto|nchw|nhwc", help="Order of the axes of the model's input.")
]
Activation = Annotated[
    str, typer.Option(metavar="none|sigmoid|softmax", help="What makes a score of the output.")
]
Output = Annotated[
    str | None, typer.Option(metavar="NAME", help="Output of the model. [default: the first]")
]
PositiveColumn = Annotated[
    int | None,
    _whole("--positive", "Column of the output that is the score. [default: the last of two]"),
]
Device = Annotated[str, typer.Option(metavar="cpu|cuda", help="Where the model runs.")]
Batch = Annotated[int, _whole("--batch", "Tiles that are read and scored together.")]
Jobs = Annotated[int, _whole("--jobs", "Workers; the result does not depend on them.")]
Overlay = Annotated[bool, typer.Option("--overlay", help="Also draw a heat map of every slide.")]


def score_slides_command(
    slides: Slides,
    model: Model,
    out: opt.OutDirectory,
    tile: Tile = 256,
    mpp: Mpp = None,
    magnification: Magnification = None,
    slide_mpp: SlideMpp = None,
    sheet: Sheet = None,
    min_tissue: MinTissue = 0.25,
    min_sharpness: MinSharpness = 10.0,
    min_brightness: MinBrightness = 25.0,
    max_brightness: MaxBrightness = 240.0,
    normalize: Normalize = "unit",
    layout: Layout = "auto",
    activation: Activation = "none",
    output: Output = None,
    positive: PositiveColumn = None,
    device: Device = "cpu",
    batch: Batch = 32,
    jobs: Jobs = 1,
    overlay: Overlay = False,
    as_json: opt.AsJson = False,
) -> None:
    """Score the tissue tiles of whole-slide images.

    Any ONNX model can score them. Writes tiles/NAME.parquet for every slide, slides.json, and with
    --overlay overlays/NAME.png. A slide that is done is not done again. Exit code 3: some slides
    were skipped, see stderr.
    """
    check_folder(out)
    options = TileOptions(
        tile=tile,
        mpp=wanted_mpp(mpp, magnification),
        slide_mpp=slide_mpp,
        min_tissue=min_tissue,
        min_sharpness=min_sharpness,
        min_brightness=min_brightness,
        max_brightness=max_brightness,
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
    files = gather_files(slides, SLIDES, sheet)
    job = Job(
        model=TileModel(model, how),
        options=options,
        out=out,
        n_jobs=check_count("--jobs", jobs),
        overlay=overlay,
        sheet=files.sheet,
    )
    with progress_on_stderr() as progress:
        done, skipped = score_slides(files.paths, job, progress)
    skipped = [*files.skipped, *skipped]
    refuse_if_nothing(len(done), skipped, "slides")
    content = {"options": asdict(options), "slides": [one.to_dict() for one in done]}
    finish_scoring(out, "slides", content, _rows(done), skipped, as_json=as_json)


def _rows(done: Sequence[SlideResult]) -> list[tuple[str, str]]:
    """Return how many slides and tiles there are, for the terminal."""
    total = {key: sum(one.counts[key] for one in done) for key in done[0].counts}
    return [
        ("slides", f"{len(done)}, of which {sum(one.resumed for one in done)} were done already"),
        ("tiles scored", f"{total['scored']} of {total['tiles']}"),
        ("too little tissue", str(total["without_tissue"])),
        ("too dark or bright", str(total["extreme_brightness"])),
        ("blurred", str(total["blurred"])),
    ]
