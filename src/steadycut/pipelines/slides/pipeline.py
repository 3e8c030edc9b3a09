"""Slides -> one table of scored tiles each; finished slides are not done again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from steadycut._version import __version__
from steadycut.errors import BadFile
from steadycut.io.files import write_atomically
from steadycut.pipelines.fingerprint import digest, file_fingerprint
from steadycut.pipelines.parallel import map_in_order
from steadycut.pipelines.parquet import read_note, write_parquet
from steadycut.pipelines.sheet import NOBODY, Origin, check_names
from steadycut.pipelines.skipped import LeftOut, left_out
from steadycut.pipelines.slides.model import TileModel
from steadycut.pipelines.slides.options import TileOptions
from steadycut.pipelines.slides.overlay import draw_overlay
from steadycut.pipelines.slides.quality import tile_quality
from steadycut.pipelines.slides.reader import Slide, open_slide
from steadycut.pipelines.slides.tiles import Grid, Places, plan_grid, read_tiles, tiles_on_tissue
from steadycut.pipelines.slides.tissue import Tissue, find_tissue
from steadycut.study.fit import Progress

TABLES, OVERLAYS = "tiles", "overlays"
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideResult:
    """A slide that has its table.

    ``counts`` says how many tiles the grid has, how many were left out for what, and how many
    were scored; ``resumed`` that the table was there already.
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
    """What is done with every slide, and where its table goes."""

    model: TileModel
    options: TileOptions
    out: Path
    n_jobs: int = 1
    overlay: bool = False
    sheet: Mapping[str, Origin] = field(default_factory=dict)

    def table(self, path: Path) -> Path:
        """Return where the table of a slide goes."""
        return self.out / TABLES / f"{path.stem}.parquet"

    def picture(self, path: Path) -> Path:
        """Return where the overlay of a slide goes."""
        return self.out / OVERLAYS / f"{path.stem}.png"

    def fingerprint(self, path: Path) -> str:
        """Return a name for all that a table depends on; workers and overlay are not in it."""
        origin = self.sheet.get(path.stem, NOBODY)
        return digest(
            {
                "version": __version__,
                "options": self.options.to_dict(),
                "model": self.model.fingerprint,
                "file": file_fingerprint(path),
                "origin": [origin.patient, origin.label, origin.site],
            }
        )


def score_slides(
    paths: Sequence[Path], job: Job, progress: Progress | None = None
) -> tuple[list[SlideResult], list[LeftOut]]:
    """Score slides one after the other, each by several workers.

    A slide that cannot be used is left out with its reason, and the others go on. A slide whose
    table is there, made of the same file by the same model and options, is not scored again.
    """
    check_names(paths, "slides")
    done: list[SlideResult] = []
    problems: list[LeftOut] = []
    for number, path in enumerate(paths):
        if progress:
            progress(path.name, number, len(paths))
        try:
            done.append(resume_slide(path, job) or score_slide(path, job))
        except (BadFile, OSError) as error:
            problems.append(left_out(path, error))
    return done, problems


def resume_slide(path: Path, job: Job) -> SlideResult | None:
    """Return the result of a slide that is done already, with all that is asked for; else None."""
    note = read_note(job.table(path))
    if note is None or note.get("fingerprint") != job.fingerprint(path):
        return None
    if job.overlay and not job.picture(path).is_file():
        return None
    return SlideResult(slide=path.stem, table=job.table(path), counts=note["counts"], resumed=True)


def score_slide(path: Path, job: Job) -> SlideResult:
    """Score one slide and write its table, and its overlay if asked for.

    What an earlier run with other options left goes first: if this run fails, nobody takes it for
    a result of the present options.
    """
    for old in (job.table(path), job.picture(path)):
        old.unlink(missing_ok=True)
    fingerprint = job.fingerprint(path)
    with open_slide(path, job.options.slide_mpp) as slide:
        grid = plan_grid(slide, job.options)
        tissue = find_tissue(slide, job.n_jobs)
        places = tiles_on_tissue(grid, tissue, job.options.min_tissue)
        work = partial(score_block, slide, grid, job)
        blocks = list(map_in_order(work, places.blocks(job.options.batch), job.n_jobs))
    columns, counts = _joined(blocks), _counts(blocks, grid, places)
    if not counts["scored"]:
        msg = f"no tile is left: {_why_none(counts)}. See --min-tissue and --min-sharpness."
        raise BadFile(msg)
    _write(path, job, grid, columns, tissue, {"fingerprint": fingerprint, "counts": counts})
    return SlideResult(slide=path.stem, table=job.table(path), counts=counts, resumed=False)


def score_block(slide: Slide, grid: Grid, job: Job, places: Places) -> Block:
    """Read, judge and score a few tiles; return the columns of those that are good enough."""
    tiles = read_tiles(slide, grid, places)
    quality = tile_quality(tiles)
    blurred, extreme = quality.blurred(job.options), quality.extreme(job.options)
    good = np.flatnonzero(~(blurred | extreme))
    kept = tiles if good.size == len(tiles) else tiles[good]
    scores = job.model.score(kept) if good.size else np.empty(0)
    return {
        "x": np.round(places.column[good] * grid.step).astype(np.int64),
        "y": np.round(places.row[good] * grid.step).astype(np.int64),
        "tissue": places.tissue[good],
        "sharpness": quality.sharpness[good],
        "brightness": quality.brightness[good],
        "score": scores,
        "left_out": (int(extreme.sum()), int((blurred & ~extreme).sum())),
    }


def _joined(blocks: Sequence[Block]) -> dict[str, Any]:
    names = ("x", "y", "tissue", "sharpness", "brightness", "score")
    return {name: np.concatenate([b[name] for b in blocks] or [np.empty(0)]) for name in names}


def _counts(blocks: Sequence[Block], grid: Grid, places: Places) -> dict[str, int]:
    extreme, blurred = (sum(block["left_out"][part] for block in blocks) for part in (0, 1))
    return {
        "tiles": grid.columns * grid.rows,
        "without_tissue": grid.columns * grid.rows - places.column.size,
        "extreme_brightness": extreme,
        "blurred": blurred,
        "scored": sum(block["score"].size for block in blocks),
    }


def _why_none(counts: Mapping[str, int]) -> str:
    return (
        f"of {counts['tiles']}, {counts['without_tissue']} have too little tissue, "
        f"{counts['extreme_brightness']} are too dark or bright, {counts['blurred']} are blurred"
    )


def _write(
    path: Path,
    job: Job,
    grid: Grid,
    columns: dict[str, Any],
    tissue: Tissue,
    note: Mapping[str, Any],
) -> None:
    n_tiles = columns["score"].size
    origin = job.sheet.get(path.stem, NOBODY)
    columns["size"] = np.full(n_tiles, round(grid.step), dtype=np.int64)
    if job.overlay:
        job.picture(path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(job.picture(path), draw_overlay(tissue, columns))
    table = {
        "slide": [path.stem] * n_tiles,
        "patient": [origin.patient] * n_tiles,
        "label": [origin.label] * n_tiles,
        "site": [origin.site] * n_tiles,
        **{name: columns[name] for name in ("x", "y", "size")},
        "level": np.full(n_tiles, grid.level, dtype=np.int16),
        "mpp": np.full(n_tiles, grid.mpp),
        **{name: columns[name] for name in ("tissue", "sharpness", "brightness", "score")},
    }
    job.table(path).parent.mkdir(parents=True, exist_ok=True)
    write_parquet(job.table(path), table, note)
