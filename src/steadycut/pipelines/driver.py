"""The steps of every pipeline: find the files, match them with the sheet, process each of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from steadycut.errors import BadFile, BadOption
from steadycut.ingest.patients import Progress
from steadycut.pipelines.parallel import Spread
from steadycut.pipelines.sheet import Origin, origin_of, patients_at_two_sites, read_sheet
from steadycut.pipelines.skipped import SkippedFile, skip_after

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """One kind of raw file.

    Parameters
    ----------
    name
        Name of one file, which is also its column in the sheet and in the tables: ``slide``.
    title
        Name of one file in messages.
    endings
        Endings, in lower case, of the files that are looked for in folders.
    file_at
        Returns the file that is meant by a path that the user gave.
    """

    name: str
    title: str
    endings: frozenset[str]
    file_at: Callable[[Path], Path] = Path


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFiles:
    """The files to process, what the sheet says about them, and files that are skipped."""

    paths: list[Path]
    sheet: Mapping[str, Origin]
    skipped: list[SkippedFile]


def gather_files(
    places: Sequence[str], kind: FileKind, sheet: Path | None = None, *, need_labels: bool = False
) -> InputFiles:
    """Find the files and match them with the sheet.

    Files that the sheet does not name are skipped, and so are files of patients at two sites.
    With ``need_labels``, files of patients without a label are skipped too.
    """
    files = find_files(places, kind)
    check_names(files, kind)
    known = {} if sheet is None else read_sheet(sheet, kind.name)
    named = {path.stem for path in files} if sheet is None else set(known)
    labelled = {origin.patient for origin in known.values() if origin.patient and origin.label}
    at_two_sites = patients_at_two_sites(known)
    skipped: dict[Path, str] = {}
    for path in files:
        patient = origin_of(path, known).patient
        if need_labels and patient not in labelled:
            skipped[path] = "the sheet has no label for it."
        elif path.stem not in named:
            skipped[path] = "the sheet does not name it."
        elif patient in at_two_sites:
            skipped[path] = "the sheet puts its patient at two sites."
    return InputFiles(
        paths=[path for path in files if path not in skipped],
        sheet=known,
        skipped=[SkippedFile(file=str(path), reason=why) for path, why in skipped.items()],
    )


def find_files(places: Sequence[str], kind: FileKind) -> list[Path]:
    """Return the files that are meant: single files, and all of this kind in folders."""
    files: list[Path] = []
    for place in places:
        here = list(_files_at(Path(place), kind))
        if not here:
            msg = f"there is no {kind.title} at {place}. Give {kind.title} files, or folders."
            raise BadOption(msg)
        files += here
    return list(dict.fromkeys(files))


def _files_at(path: Path, kind: FileKind) -> Iterator[Path]:
    inside = (file for file in path.rglob("*") if file.suffix.lower() in kind.endings)
    files = sorted(file for file in inside if file.is_file())
    yield from files or [file for file in (kind.file_at(path),) if file.is_file()]


def check_names(paths: Sequence[Path], kind: FileKind) -> None:
    """Refuse two files of one name: sheets and tables could not tell them apart."""
    twice = [name for name, count in Counter(path.stem for path in paths).items() if count > 1]
    if twice:
        msg = f"{kind.name}s must have different names; {twice[0]} occurs twice. Rename one."
        raise BadOption(msg)


def process_files(
    process: Callable[[Path], Result],
    paths: Sequence[Path],
    kind: FileKind,
    spread: Spread = map,
    progress: Progress | None = None,
) -> tuple[dict[Path, Result], list[SkippedFile]]:
    """Process each file; a file that cannot be used is skipped, and the others go on.

    Parameters
    ----------
    process
        Turns one file into a result; raises `BadFile` for a file that cannot be used.
    spread
        What works like ``map``, in threads or processes.
    """
    done: dict[Path, Result] = {}
    skipped: list[SkippedFile] = []
    results = spread(partial(_try_file, process), paths)
    for number, path in enumerate(paths):
        if progress:
            progress(f"{kind.name}s", number, len(paths))
        result = next(results)
        if isinstance(result, SkippedFile):
            skipped.append(result)
        else:
            done[path] = result
    return done, skipped


def _try_file(process: Callable[[Path], Result], path: Path) -> Result | SkippedFile:
    try:
        return process(path)
    except (BadFile, OSError) as error:
        return skip_after(error, path)
