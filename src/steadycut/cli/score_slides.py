"""``steadycut score-slides``: whole-slide images -> one table of scored tiles each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from steadycut.cli import options as opt
from steadycut.cli.output import check_folder, show, to_json, write_folder
from steadycut.cli.progress import progress_on_terminal
from steadycut.cli.skipped import exit_if_left_out, note_left_out
from steadycut.core.checks import check_count
from steadycut.pipelines.sheet import Origin, at_two_sites, read_sheet
from steadycut.pipelines.skipped import LeftOut, refuse_if_nothing
from steadycut.pipelines.slides import (
    Job,
    ModelOptions,
    SlideResult,
    TileModel,
    TileOptions,
    score_slides,
)
from steadycut.pipelines.slides.options import wanted_mpp
from steadycut.pipelines.slides.reader import find_slides, import_openslide
from steadycut.show.columns import aligned


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
    were left out, see stderr.
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
    origins = None if sheet is None else read_sheet(sheet, "slide")
    job = Job(
        model=TileModel(model, how),
        options=options,
        out=out,
        n_jobs=check_count("--jobs", jobs),
        overlay=overlay,
        sheet=origins or {},
    )
    paths, unnamed = named_slides(find_slides(slides), origins)
    with progress_on_terminal() as progress:
        done, problems = score_slides(paths, job, progress)
    problems = [*unnamed, *problems]
    refuse_if_nothing(len(done), problems, "slides")
    content = slides_content(done, problems, options)
    write_folder(out, {"slides.json": to_json(content)})
    note_left_out(problems)
    show(content, slides_text(content, out), as_json=as_json)
    exit_if_left_out(problems)


def named_slides(
    paths: Sequence[Path], origins: Mapping[str, Origin] | None
) -> tuple[list[Path], list[LeftOut]]:
    """Return the slides that the sheet names at one site, all without a sheet, and the others."""
    if origins is None:
        return list(paths), []
    reason = "the sheet does not name it."
    problems = [
        *(LeftOut(file=str(path), reason=reason) for path in paths if path.stem not in origins),
        *at_two_sites(paths, origins),
    ]
    lost = {one.file for one in problems}
    return [path for path in paths if str(path) not in lost], problems


def slides_content(
    done: Sequence[SlideResult], problems: Sequence[LeftOut], options: TileOptions
) -> dict[str, Any]:
    """Return slides.json: what became of every slide."""
    return {
        "schema": "steadycut.slides/1",
        "options": options.to_dict(),
        "slides": [one.to_dict() for one in done],
        "left_out": [one.to_dict() for one in problems],
    }


def slides_text(content: dict[str, Any], out: Path) -> str:
    """Return how many slides and tiles there are, and what was left out."""
    slides = content["slides"]
    total = {key: sum(one[key] for one in slides) for key in slides[0] if key != "slide"}
    rows = [
        ("slides", f"{len(slides)}, of which {total['resumed']} were there already"),
        ("tiles scored", f"{total['scored']} of {total['tiles']}"),
        ("too little tissue", str(total["without_tissue"])),
        ("too dark or bright", str(total["extreme_brightness"])),
        ("blurred", str(total["blurred"])),
        ("slides left out", str(len(content["left_out"]))),
    ]
    return aligned(rows) + f"\n\nWrote {out}/tiles/*.parquet and slides.json"
