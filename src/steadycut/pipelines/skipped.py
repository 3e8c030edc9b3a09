"""Files that cannot be used: each is named with its reason, and the others go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steadycut.errors import BadFile

# Exit code of a command that did its work but had to skip some files.
SKIPPED_CODE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """One file that was skipped, and why."""

    file: str
    reason: str

    @property
    def text(self) -> str:
        """One line for the user.

        Examples
        --------
        >>> SkippedFile(file="a.svs", reason="it is cut short.").text
        'skipped a.svs: it is cut short.'
        """
        return f"skipped {self.file}: {self.reason}"


def skip_after(error: BaseException, path: Path | str) -> SkippedFile:
    """Return the entry of a file that raised an error."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return SkippedFile(file=str(path), reason=reason)


def refuse_if_nothing(n_done: int, skipped: Sequence[SkippedFile], what: str) -> None:
    """Raise `BadFile` if no file at all could be used."""
    if n_done or not skipped:
        return
    more = "" if len(skipped) == 1 else f" (and {len(skipped) - 1} more)"
    raise BadFile(f"none of {len(skipped)} {what} could be used; {skipped[0].text}{more}")
