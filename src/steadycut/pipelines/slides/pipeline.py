"""Slides -> one table of scored tiles per slide; finished slides are not scored again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut._version import __version__
from steadycut.documents.canonical_json import content_hash
from steadycut.errors import BadFile
from steadycut.ingest.patients import Progress
from steadycut.io.files import write_atomically
from steadycut.io.parquet import read_note, write_parquet
from steadycut.pipelines.driver import check_names, process_files
from steadycut.pipelines.fingerprint import file_fingerprint
from steadycut.pipelines.parallel import Spread, threads
from steadycut.pipelines.sheet import Origin, origin_columns, origin_of
from steadycut.pipelines.skipped import SkippedFile
from steadycut.pipelines.slides.jpeg import JpegTiles, decode, find_jpeg_tiles
from steadycut.pipelines.slides.model import TileModel
from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.overlay import draw_overlay
from steadycut.pipelines.slides.quality import tile_quality
from steadycut.pipelines.slides.reader import SLIDES, Slide, open_slide
from steadycut.pipelines.slides.tiles import Grid, Places, plan_grid, read_tiles, tiles_on_tissue
from steadycut.pipelines.slides.tissue import find_tissue

TABLES, OVERLAYS = "tiles", "overlays"
Columns = dict[str, NDArray[Any]]
Counts = dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideResult:
    """A slide that has its table.

    ``counts`` says how many tiles the grid has, how many were rejected for each reason, and how
    many were scored. ``resumed`` says that an earlier run made the table.
    """

    slide: str
    table: Path
    counts: Mapping[str, int]
    resumed: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {"slide": self.slide, "resumed": self.resumed, **self.counts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """How every slide is scored, and where its table goes."""

    model: TileModel
    options: TileOptions
    out: Path
    n_jobs: int = 1
    overlay: bool = False
    sheet: Mapping[str, Origin] = field(default_factory=dict)

    @property
    def slides_at_once(self) -> int:
        """How many slides are open at a time: one alone cannot keep several threads busy."""
        return 1 if self.n_jobs == 1 else 2 + self.n_jobs // 4

    def table(self, path: Path) -> Path:
        """Return where the table of a slide goes."""
        return self.out / TABLES / f"{path.stem}.parquet"

    def picture(self, path: Path) -> Path:
        """Return where the overlay of a slide goes."""
        return self.out / OVERLAYS / f"{path.stem}.png"

    def fingerprint(self, path: Path) -> str:
        """Return a hash of all that a table depends on: neither workers nor the overlay."""
        depends_on = {
            "version": __version__,
            "options": asdict(self.options),
            "model": self.model.fingerprint,
            "file": file_fingerprint(path),
            "origin": astuple(origin_of(path, self.sheet)),
        }
        return content_hash(depends_on)


def score_slides(
    paths: Sequence[Path], job: Job, progress: Progress | None = None
) -> tuple[list[SlideResult], list[SkippedFile]]:
    """Score several slides at a time, in blocks of tiles that share the threads.

    So one slide is read while another is searched for tissue or written. A slide that cannot be
    used is skipped with a reason. A slide is not scored again if its table was made from the same
    file with the same model and options.
    """
    check_names(paths, SLIDES)
    with threads(job.slides_at_once) as over_slides, threads(job.n_jobs) as over_blocks:
        work = partial(score_or_keep, job, over_blocks)
        done, skipped = process_files(work, paths, SLIDES, over_slides, progress)
    return list(done.values()), skipped


def score_or_keep(job: Job, spread: Spread, path: Path) -> SlideResult:
    """Score one slide, or keep the table that an earlier run finished."""
    return finished_slide(path, job) or score_slide(path, job, spread)


def finished_slide(path: Path, job: Job) -> SlideResult | None:
    """Return the result of an earlier run; None if anything is missing or was made differently."""
    note = read_note(job.table(path))
    drawn = not job.overlay or job.picture(path).is_file()
    if note is None or not drawn or note.get("fingerprint") != job.fingerprint(path):
        return None
    return SlideResult(slide=path.stem, table=job.table(path), counts=note["counts"], resumed=True)


def score_slide(path: Path, job: Job, spread: Spread = map) -> SlideResult:
    """Score one slide and write its table, and its overlay if asked for.

    The files of an earlier run are removed first. If this run fails, they cannot be mistaken for
    results of the present options.
    """
    for old in (job.table(path), job.picture(path)):
        old.unlink(missing_ok=True)
    fingerprint = job.fingerprint(path)
    with open_slide(path, job.options.slide_mpp) as slide:
        grid = plan_grid(slide, job.options)
        tissue = find_tissue(slide, spread)
        places = tiles_on_tissue(grid, tissue, job.options.min_tissue)
        work = partial(score_block, slide, grid, find_jpeg_tiles(slide, grid, places), job)
        blocks = list(spread(work, places.blocks(job.options.batch)))
    counts = _total_counts([counts for _, counts in blocks], grid, places)
    columns = _joined([columns for columns, _ in blocks], counts)
    if job.overlay:
        job.picture(path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(job.picture(path), draw_overlay(tissue, columns))
    job.table(path).parent.mkdir(parents=True, exist_ok=True)
    origin = origin_columns(SLIDES.name, [path] * counts["scored"], job.sheet)
    note = {"fingerprint": fingerprint, "counts": counts}
    write_parquet(job.table(path), {**origin, **columns}, note)
    return SlideResult(slide=path.stem, table=job.table(path), counts=counts, resumed=False)


def score_block(
    slide: Slide, grid: Grid, jpegs: JpegTiles | None, job: Job, places: Places
) -> tuple[Columns, Counts]:
    """Read, judge and score a few tiles; return columns of the good ones, and counts of all."""
    coded = None if jpegs is None else jpegs.read(places)
    if coded is None:
        return judge_and_score(read_tiles(slide, grid, places), grid, places, job)
    tiles = job.model.model.decode(coded)
    if tiles is None:
        tiles = decode(coded, grid.tile)
    return judge_and_score(tiles, grid, places, job)


def judge_and_score(tiles: Any, grid: Grid, places: Places, job: Job) -> tuple[Columns, Counts]:
    """Return columns of the good tiles, and counts of all; ``tiles`` may be on a GPU."""
    model, on_gpu = job.model, job.model.judge(tiles, job.options.batch)
    quality = tile_quality(tiles) if on_gpu is None else on_gpu[0]
    blurred, extreme = quality.blurred(job.options), quality.extreme(job.options)
    good = np.flatnonzero(~(blurred | extreme))
    if not good.size:
        score = np.empty(0)
    elif on_gpu is None:
        score = model.score(tiles if good.size == len(tiles) else tiles[good])
    else:
        score = model.scores(on_gpu[1][good])
    columns: Columns = {
        "x": np.round(places.column[good] * grid.step).astype(np.int64),
        "y": np.round(places.row[good] * grid.step).astype(np.int64),
        "size": np.full(good.size, round(grid.step), dtype=np.int64),
        "level": np.full(good.size, grid.level, dtype=np.int16),
        "mpp": np.full(good.size, grid.mpp),
        "tissue": places.tissue[good],
        "sharpness": quality.sharpness[good],
        "brightness": quality.brightness[good],
        "score": score,
    }
    return columns, {
        "extreme_brightness": int(extreme.sum()),
        "blurred": int((blurred & ~extreme).sum()),
        "scored": int(good.size),
    }


def _total_counts(blocks: Sequence[Counts], grid: Grid, places: Places) -> Counts:
    names = ("extreme_brightness", "blurred", "scored")
    return {
        "tiles": grid.columns * grid.rows,
        "without_tissue": grid.columns * grid.rows - places.column.size,
        **{name: sum(block[name] for block in blocks) for name in names},
    }


def _joined(blocks: Sequence[Columns], counts: Counts) -> Columns:
    if not counts["scored"]:
        raise BadFile(
            f"no tile is left: of {counts['tiles']}, {counts['without_tissue']} have too little "
            f"tissue, {counts['extreme_brightness']} are too dark or bright, {counts['blurred']} "
            "are blurred. See --min-tissue and --min-sharpness."
        )
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
