"""``steadycut score-slides``: one table of scored tiles per whole-slide image."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from steadycut.cli import options as opt
from steadycut.cli.options import argument, number, option, required, switch, whole
from steadycut.cli.output import check_folder
from steadycut.cli.results import finish_scoring
from steadycut.cli.score.models import ModelRunOptions
from steadycut.core.checks import check_count
from steadycut.io.progress import progress_on_stderr
from steadycut.pipelines import slides as pipeline
from steadycut.pipelines.driver import gather_files
from steadycut.pipelines.skipped import refuse_if_nothing
from steadycut.pipelines.slides.options import wanted_mpp
from steadycut.pipelines.slides.reader import SLIDES, import_openslide

# A GPU needs larger batches to be busy.
GPU_BATCH = 256
# Seconds after which a thread passes on Python's lock: many threads read, and few feed the GPU.
SWITCH = 5e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideOptions:
    """Slides."""

    slides: list[str] = argument("SLIDE", "Slide files, or folders that hold them.")
    sheet: Path | None = option("CSV", "Columns slide, patient and if known label, site.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideModelOptions(ModelRunOptions):
    """Model."""

    model: Path = required("FILE", "Model that scores a tile: ONNX or PyTorch.")
    normalize: str = option(
        "HOW", "What the model is fed: unit, imagenet, minus-one-one, none.", default="unit"
    )
    layout: str = option(
        "auto|nchw|nhwc", "Order of the axes of the model's input.", default="auto"
    )

    def options(self) -> pipeline.ModelOptions:
        """Check how pixels go in and a score comes out."""
        values = asdict(self)
        del values["model"]
        return pipeline.ModelOptions(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideTileOptions:
    """Tiles."""

    tile: int = whole("N", "Edge of a tile in pixels.", default=256)
    mpp: float | None = number(
        "X", "Micrometres per pixel of the tiles. [default: 1, which is 10x]"
    )
    magnification: float | None = number("M", "The same as a magnification: 10/M micrometres.")
    slide_mpp: float | None = number(
        "X", "Micrometres per pixel of the slides, if the files are wrong about it."
    )
    min_tissue: float = number("X", "Smallest share of tissue of a tile.", default=0.25)
    min_sharpness: float = number("X", "Smallest variance of the Laplacian.", default=10.0)
    min_brightness: float = number("X", "Smallest mean green, 0 to 255.", default=25.0)
    max_brightness: float = number("X", "Largest mean green, 0 to 255.", default=240.0)
    batch: int | None = whole(
        "N", "Tiles that are read and scored together. [default: 32, on a GPU 256]"
    )

    def options(self) -> pipeline.TileOptions:
        """Check how tiles are cut and which are kept."""
        values = asdict(self) | {"batch": 32 if self.batch is None else self.batch}
        mpp = wanted_mpp(self.mpp, values.pop("magnification"))
        return pipeline.TileOptions(**values | {"mpp": mpp})


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideWorkOptions:
    """Work."""

    jobs: int | None = whole(
        "N", "Workers; the result does not depend on them. [default: all cores]"
    )
    overlay: bool = switch("--overlay", "Also draw a heat map of every slide.")

    def job(self, **how: Any) -> pipeline.Job:
        """Return what is done to every slide."""
        return pipeline.Job(
            n_jobs=check_count("jobs", os.cpu_count() if self.jobs is None else self.jobs),
            overlay=self.overlay,
            **how,
        )


def score_slides_command(
    given: SlideOptions,
    model: SlideModelOptions,
    tiles: SlideTileOptions,
    work: SlideWorkOptions,
    output: opt.OutputOptions,
) -> None:
    """Score the tissue tiles of whole-slide images (experimental).

    Any ONNX or PyTorch model can score them. Writes tiles/NAME.parquet for every slide,
    slides.json, and with --overlay overlays/NAME.png. A slide that was scored before is not scored
    again. Exit code 3: some slides were skipped, see stderr.
    """
    check_folder(output.out)
    sys.setswitchinterval(SWITCH)
    options, how = tiles.options(), model.options()
    import_openslide()
    files = gather_files(given.slides, SLIDES, given.sheet)
    scorer = pipeline.TileModel(model.model, how)
    if tiles.batch is None and scorer.model.device == "cuda":
        options = replace(options, batch=GPU_BATCH)
    job = work.job(model=scorer, options=options, out=output.out, sheet=files.sheet)
    with progress_on_stderr() as progress:
        done, skipped = pipeline.score_slides(files.paths, job, progress)
    skipped = [*files.skipped, *skipped]
    refuse_if_nothing(len(done), skipped, "slides")
    content = {
        "options": asdict(options),
        "model": scorer.fingerprint,
        "slides": [slide.to_dict() for slide in done],
    }
    rows = [("device", scorer.model.device), *_rows(done)]
    finish_scoring(output.out, "slides", content, rows, skipped, as_json=output.as_json)


def _rows(done: Sequence[pipeline.SlideResult]) -> list[tuple[str, str]]:
    """Return how many slides and tiles there are, for the terminal."""
    again = sum(slide.resumed for slide in done)
    total = {key: sum(slide.counts[key] for slide in done) for key in done[0].counts}
    return [
        ("slides", f"{len(done)}, of which {again} were done already"),
        ("tiles scored", f"{total['scored']} of {total['tiles']}"),
        ("too little tissue", str(total["without_tissue"])),
        ("too dark or bright", str(total["extreme_brightness"])),
        ("blurred", str(total["blurred"])),
    ]
