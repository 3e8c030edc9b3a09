"""The cuts by covariate as a rule: it decides about a patient by score and covariate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, LabelArray, TextArray, read_only
from steadycut.core.covariate.design import CutScale, Design
from steadycut.errors import BadPatients, argument
from steadycut.rule_reader import BLANKS, NO_SCORE, NUMBER, plain_group

Values = TextArray | FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutRule:
    """The cuts themselves: how to decide about a patient with a score and a covariate.

    ``ranks`` has one entry per window of the design, ``draws`` one row per resampled study. If low
    scores are called, ``sign`` is -1.
    """

    design: Design
    scale: CutScale
    sign: float
    ranks: FloatArray
    draws: FloatArray

    def thresholds(self, covariate: Values) -> FloatArray:
        """Return the cut-off of each patient, in the units of the score."""
        return self.sign * self.scale.at(self.design.at(self.ranks, covariate)) + 0.0

    def decide(self, scores: FloatArray, covariate: Values) -> LabelArray:
        """Return 1 for every patient who is called, else 0."""
        called = self.sign * scores >= self.sign * self.thresholds(covariate)
        return called.astype(np.int8)

    def flip_probability(self, scores: FloatArray, covariate: Values) -> FloatArray:
        """Return, for each patient, how often a resampled study would decide differently."""
        decision = self.decide(scores, covariate) == 1
        flips = np.zeros(scores.size)
        for ranks in self.draws:
            called = self.sign * scores >= self.scale.at(self.design.at(ranks, covariate))
            flips += called != decision
        return flips / len(self.draws)


def as_groups(column: NDArray[Any], known: Sequence[str] = ()) -> TextArray:
    """Return groups as texts. Known groups keep their names; a missing value is an error.

    Whole numbers are the same group however a table stores them: 1, 1.0 and ``"1.0"``.

    Examples
    --------
    >>> as_groups(np.array(["1.0", "2", "2.50"])).tolist()
    ['1', '2', '2.50']
    >>> as_groups(np.array([1, 2]), known=["1.0", "2.0"]).tolist()
    ['1.0', '2.0']
    """
    names = {plain_group(name): name for name in known} | {name: name for name in known}
    found = map(_group_text, column.tolist())
    plain = [names.get(text, names.get(plain_group(text), plain_group(text))) for text in found]
    texts = np.array(plain, dtype=np.str_)
    n_missing = int(np.count_nonzero(texts == ""))
    if n_missing:
        raise BadPatients(
            f"every patient must have a covariate; {n_missing} of {texts.size} have none. Fill it "
            "in, or make the missing ones a separate group."
        )
    return read_only(texts)


def _group_text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and np.isnan(value))
    whole = isinstance(value, float) and not missing and value.is_integer()
    return "" if missing else str(int(value) if whole else value).strip()  # type: ignore[call-overload]


def as_numbers(column: NDArray[Any]) -> FloatArray:
    """Return a numeric covariate. A value that is not a finite number is an error."""
    texts = [text.strip(BLANKS) for text in column.tolist()] if column.dtype.kind == "U" else []
    # Python would read 1_0 and digits of other scripts as numbers.
    plain = all(NUMBER.fullmatch(text) or text.lower() in NO_SCORE for text in texts)
    try:
        numbers = column.astype(np.float64) if plain else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None:
        raise BadPatients(
            "a smooth cut-off needs a covariate of numbers; some are other text. Fix them, or "
            f"take {argument('kind', 'groups')}."
        )
    n_bad = int(np.count_nonzero(~np.isfinite(numbers)))
    if n_bad:
        raise BadPatients(
            f"every patient must have a covariate that is a finite number; {n_bad} of "
            f"{numbers.size} have none. Fill it in, or remove these patients."
        )
    return read_only(numbers)
