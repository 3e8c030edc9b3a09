"""The tables that a command was given, and how they are to be read."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from steadycut._version import __version__
from steadycut.cli.output import note
from steadycut.cli.progress import progress_on_terminal
from steadycut.ingest import PatientTable, Request, read_patients
from steadycut.ingest.engines.choose import check_engine, parse_memory
from steadycut.ingest.sources.find import find_files
from steadycut.io.checkpoint import Checkpoint, digest, open_checkpoint

CHECKPOINT = "steadycut-checkpoint"


class Given(tuple[str, ...]):  # noqa: SLOT001 (it carries more than its items)
    """Paths, patterns and addresses, with an engine, a memory limit and a place to resume from."""

    engine: str = "auto"
    memory: int | None = None
    checkpoint: Path | None = None
    resume: bool = False

    def done(self) -> None:
        """Remove the checkpoint: the results are written."""
        if self.checkpoint is not None and self.checkpoint.is_dir():
            Checkpoint(self.checkpoint).remove()


def given(
    tables: Sequence[str],
    *,
    engine: str,
    memory: str | None,
    resume: bool = False,
    out: Path | None = None,
) -> Given:
    """Check how tables are to be read; a checkpoint goes into the folder of the results."""
    check_engine(engine)
    found = Given(tables)
    found.engine = engine
    found.memory = parse_memory(memory)
    found.resume = resume
    found.checkpoint = None if out is None else out / CHECKPOINT
    return found


def read_given(request: Request, tables: Sequence[str]) -> PatientTable:
    """Read tables as a command asks for; say how far that is."""
    how = as_given(tables)
    keep = None if how.checkpoint is None else partial(_kept_parts, how, request)
    with progress_on_terminal() as progress:
        return read_patients(
            request,
            list(tables),
            engine=how.engine,
            memory=how.memory,
            progress=progress,
            keep=keep,
        )


def as_given(tables: Sequence[str]) -> Given:
    """Return how tables are to be read; as usual, if nobody said how."""
    return tables if isinstance(tables, Given) else Given(tables)


@contextmanager
def _kept_parts(how: Given, request: Request) -> Iterator[Checkpoint]:
    folder = how.checkpoint
    assert folder is not None  # noqa: S101
    if not how.resume and folder.is_dir():
        Checkpoint(folder).remove()
    with open_checkpoint(folder, _study(how, request)) as checkpoint:
        try:
            yield checkpoint
        except KeyboardInterrupt:
            note(f"finished parts are kept in {folder}; add --resume to go on from there.")
            raise


def _study(how: Given, request: Request) -> dict[str, str]:
    """Return everything that finished parts depend on; paths go as digests."""
    recipes = [
        request.recipe(score, one.name) for score in request.scores for one in request.aggregators
    ]
    files = [file.place for file in find_files(list(how))]
    return {
        "version": __version__,
        "request": digest(repr((recipes, request.missing, request.sites))),
        "tables": digest(*(f"{name} {_state(name)}" for name in files)),
        "memory": str(how.memory),
    }


def _state(name: str) -> str:
    """Return size and time of a file; of one in S3 nothing is known."""
    if not os.path.exists(name):  # noqa: PTH110
        return ""
    found = Path(name).stat()
    return f"{found.st_size} {found.st_mtime_ns}"
