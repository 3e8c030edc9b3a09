"""What a frozen file keeps of the patients who certified it: their scores, by class."""

from typing import Self

from pydantic import FiniteFloat, model_validator

from steadycut.core.shift.label_shift import RankBins
from steadycut.documents import parts

N_QUANTILES = 101


class BinsPart(parts.Part):
    """The certifying patients by class in bins of the score, with the edges between the bins."""

    edges: parts.Floats
    positive: parts.Counts
    negative: parts.Counts


class QuantilesPart(parts.Part):
    """Scores of both classes in steps of 1 %; none of a class without patients."""

    quantiles_positive: list[FiniteFloat]
    quantiles_negative: list[FiniteFloat]

    @model_validator(mode="after")
    def _in_steps_of_one_percent(self) -> Self:
        lists = (self.quantiles_positive, self.quantiles_negative)
        whole = {len(one) for one in lists} <= {0, N_QUANTILES} and any(lists)
        parts.must(whole, f"the quantiles of a class must be {N_QUANTILES} numbers")
        parts.must(all(one == sorted(one) for one in lists), "quantiles must ascend")
        return self


class Reference(parts.CountsPart, QuantilesPart):
    """What an audit needs of the patients who certified the rule."""

    bins: BinsPart
    instances_per_patient: parts.InstancesPart | None

    @property
    def rank_bins(self) -> RankBins:
        """The certifying patients in bins of the score."""
        return RankBins(**dict(self.bins))
