"""The tables that a command was given, and how to read them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from steadycut._version import __version__
from steadycut.cli.output import note, refuse
from steadycut.ingest import PatientTable, Request, read_patients
from steadycut.ingest.sources.find import find_files
from steadycut.io.checkpoint import Checkpoint, digest, open_checkpoint
from steadycut.io.files import hash_file
from steadycut.io.progress import progress_on_stderr

CHECKPOINT = "steadycut-checkpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Paths, patterns and addresses of tables, and how to read them.

    ``memory`` is in bytes. Finished parts are kept in the folder ``checkpoint``; ``resume`` says
    that an interrupted run goes on with the parts that are there.
    """

    paths: tuple[str, ...]
    engine: str = "auto"
    memory: int | None = None
    delimiter: str | None = None
    decimal: str = "."
    sheet: str | None = None
    on: str | None = None
    patient_from: str | None = None
    file_column: str | None = None
    checkpoint: Path | None = None
    resume: bool = False

    def remove_checkpoint(self) -> None:
        """Remove the checkpoint: the results are written."""
        if self.checkpoint is not None and self.checkpoint.is_dir():
            Checkpoint(self.checkpoint).remove()


def read_tables(request: Request, reading: Reading) -> PatientTable:
    """Read tables as a command asks for, notice copied rows, and show the progress."""
    given = asdict(reading)
    own = ("delimiter", "decimal", "patient_from", "file_column")
    request = replace(request, clusters=True, **{name: given[name] for name in own})
    keep = None if reading.checkpoint is None else partial(_kept_parts, reading, request)
    with progress_on_stderr() as progress:
        how = {name: given[name] for name in ("engine", "memory", "sheet", "on")}
        return read_patients(request, list(reading.paths), progress=progress, keep=keep, **how)


@contextmanager
def _kept_parts(reading: Reading, request: Request) -> Iterator[Checkpoint]:
    folder = reading.checkpoint
    assert folder is not None  # noqa: S101
    if not reading.resume:
        reading.remove_checkpoint()
    with open_checkpoint(folder, _study(reading, request)) as checkpoint:
        try:
            yield checkpoint
        except KeyboardInterrupt:
            note(f"finished parts are kept in {folder}; add --resume to go on from there.")
            raise


def _study(reading: Reading, request: Request) -> dict[str, str]:
    """Return everything that finished parts depend on; paths are written as digests."""
    recipes = [
        request.recipe(score, how.name) for score in request.scores for how in request.aggregators
    ]
    how = request.separator, request.decimal, reading.on, request.patient_from, request.file_column
    asked = (request.missing, request.sites, request.other_than, *how)
    files = find_files([*reading.paths, *([reading.sheet] if reading.sheet else [])])
    if reading.resume and any(file.is_remote for file in files):
        refuse("--resume cannot know whether a table in S3 has changed. Begin again without it.")
    return {
        "version": __version__,
        "request": digest(repr((recipes, *asked))),
        "tables": digest(*(f"{file.place} {_content(file.path)}" for file in files)),
        "memory": str(reading.memory),
    }


def _content(path: Path) -> str:
    """Return the hash of a file; copies keep sizes and times. Nothing is known about one in S3."""
    return digest(*(hash_file(p) for p in (path, *sorted(path.rglob("*"))) if p.is_file()))
