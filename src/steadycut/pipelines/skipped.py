"""Files that could not be used: named one by one, while the others go on."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from steadycut.errors import BadFile

# The exit code of a command that did its work but had to leave something out.
LEFT_OUT_CODE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One file that was left out, and why."""

    file: str
    reason: str

    def to_dict(self) -> dict[str, str]:
        """Return both as texts."""
        return {"file": self.file, "reason": self.reason}

    @property
    def text(self) -> str:
        """One line for the user.

        Examples
        --------
        >>> LeftOut(file="a.svs", reason="it is cut short.").text
        'left out a.svs: it is cut short.'
        """
        return f"left out {self.file}: {self.reason}"


def left_out(path: Path | str, error: BaseException) -> LeftOut:
    """Return the entry of a file that raised an error."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return LeftOut(file=str(path), reason=reason)


def refuse_if_nothing(done: int, problems: Iterable[LeftOut], what: str) -> None:
    """Raise if no file at all could be used: then there is nothing to go on with."""
    reasons = list(problems)
    if done or not reasons:
        return
    also = "" if len(reasons) == 1 else f" (and {len(reasons) - 1} more)"
    msg = f"none of {len(reasons)} {what} could be used; {reasons[0].text}{also}"
    raise BadFile(msg)
