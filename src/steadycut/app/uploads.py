"""Save files from the browser in a private folder. A name from outside is never used as a path."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from starlette.datastructures import UploadFile

from steadycut.errors import BadTable

LONGEST_NAME = 100


def save_uploads(uploads: Sequence[UploadFile], folder: Path) -> tuple[str, ...]:
    """Write uploaded tables into a folder and return their names there."""
    names = tuple(safe_name(upload.filename or "") for upload in uploads)
    if len(set(names)) < len(names):
        msg = "the files must have different names; two have the same. Rename one of them."
        raise BadTable(msg)
    for name, upload in zip(names, uploads, strict=True):
        save_upload(upload, folder / name)
    return names


def save_upload(upload: UploadFile, path: Path) -> None:
    """Write one uploaded file."""
    with path.open("xb") as file:
        shutil.copyfileobj(upload.file, file)


def safe_name(name: str) -> str:
    """Return a plain file name: no folders, no characters that a shell or a pattern reads.

    Examples
    --------
    >>> safe_name("../../etc/my scores[1].csv"), safe_name("--out=x.csv"), safe_name("")
    ('my_scores_1_.csv', 'out_x.csv', 'table')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return re.sub(r"[^\w.-]", "_", last).lstrip("._-")[-LONGEST_NAME:].lstrip("._-") or "table"
