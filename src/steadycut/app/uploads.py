"""Save files from the browser in a private folder. A name from outside is never used as a path."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from starlette.datastructures import UploadFile

from steadycut.app.works import RULE, WORKS
from steadycut.errors import BadTable

# In bytes: file systems allow 255, and a letter may take four.
LONGEST_NAME = 100
# What a command writes into the same folder; a table of such a name gets another one.
OWN = {RULE, *(name for work in WORKS.values() for name in work.results)}


def save_uploads(uploads: Sequence[UploadFile], folder: Path) -> tuple[str, ...]:
    """Write uploaded tables into a folder and return their names there."""
    names = tuple(safe_name(upload.filename or "") for upload in uploads)
    if len(set(names)) < len(names) or any((folder / name).exists() for name in names):
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

    It is never the name of a result, and its end is kept where it is too long.

    Examples
    --------
    >>> safe_name("../../etc/my scores[1].csv"), safe_name("--out=x.csv"), safe_name("")
    ('my_scores_1_.csv', 'out_x.csv', 'table')
    >>> safe_name("rule.json")
    'table_rule.json'
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = re.sub(r"[^\w.-]", "_", last).lstrip("._-").encode()[-LONGEST_NAME:]
    short = plain.decode(errors="ignore").lstrip("._-") or "table"
    return f"table_{short}" if short.casefold() in OWN else short
