"""Zip archives: one with one table is unpacked, and no archive may be a bomb."""

import secrets
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from steadycut.errors import BadTable, refusing
from steadycut.ingest.sources import records
from steadycut.ingest.sources.find import KINDS, FileName, TableFile, find_files


def unpacked(paths: FileName | Sequence[FileName], work: Path) -> list[TableFile]:
    """Return the files that are meant; the one table of a zip archive is unpacked into ``work``."""
    return [_table_of(file, work) if file.kind == "zip" else file for file in find_files(paths)]


@contextmanager
def open_zip(path: Path, place: str, instead: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive that unpacks to no more than a table can; ``instead`` says what to do then.

    The sizes in the archive can be relied on: nothing beyond them is unpacked.
    """
    # What zipfile says may have the name of a file inside, and this the name of a patient.
    msg = f"{place!r} cannot be read: it is damaged or of another kind. Check it, or {instead}."
    damaged = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
    with refusing(BadTable, msg, *damaged), zipfile.ZipFile(path) as archive:
        size, packed = sum(member.file_size for member in archive.infolist()), path.stat().st_size
        if size >= records.LOOKED_AT and size > records.MOST_TIMES * packed:
            raise BadTable(
                f"{place!r} must unpack to at most {records.MOST_TIMES} times its size; "
                f"{packed} bytes become {size}. If that is right, {instead}."
            )
        yield archive


def _table_of(file: TableFile, work: Path) -> TableFile:
    with open_zip(file.path, file.place, "unpack it and name the unpacked file") as archive:
        member = _only(archive, file.place)
        # Never a name from the archive, which may lead out of the folder.
        ending = max((kind for kind in KINDS if member.filename.casefold().endswith(kind)), key=len)
        target = work / f"unpacked-{secrets.token_hex(8)}{ending}"
        with archive.open(member) as stream, target.open("wb") as plain:
            while block := stream.read(records.BLOCK):
                plain.write(block)
    return replace(file, unpacked=str(target))


def _only(archive: zipfile.ZipFile, place: str) -> zipfile.ZipInfo:
    """Return the one table of an archive; what macOS adds to an archive does not count."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not Path(member.filename).name.startswith(".")
    ]
    allowed = tuple(ending for ending, kind in KINDS.items() if kind != "zip")
    if len(members) != 1 or not members[0].filename.casefold().endswith(allowed):
        raise BadTable(
            f"a zip archive must hold one table, which ends in one of {', '.join(allowed)}; "
            f"{place!r} holds {len(members)} files. Unpack it, and name the tables."
        )
    if members[0].flag_bits & 1:
        msg = f"{place!r} is protected by a password. Unpack it, and name the unpacked file."
        raise BadTable(msg)
    return members[0]
