"""A fitted classifier without its patients: the scorer and the frozen rule alone."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import How
from steadycut.core.checks import FloatArray
from steadycut.documents.rule import FrozenRule
from steadycut.estimators.decider import PatientDecider


@dataclass(frozen=True, eq=False, kw_only=True)
class DeployedClassifier(PatientDecider):
    """The scorer and the frozen rule of a `StableThresholdClassifier`, to be pickled and sent.

    It decides as the classifier that made it, to the last bit, and cannot be fitted. Make it with
    `StableThresholdClassifier.export`.

    Attributes
    ----------
    estimator_ : object
        The scorer of instances. steadycut cannot look into it: a scorer that keeps rows of its
        training, such as nearest neighbours or a support vector machine, still carries them.
    rule : steadycut.FrozenRule
        The frozen rule: what `steadycut.audit` and ``rule.json`` need.
    threshold_ : float
        The cut-off on patient scores.
    classes_ : ndarray of shape (2,)
        The two classes in ascending order; ``classes_[1]`` is the positive one.
    aggregate : str or callable
        How the scores of a patient's rows become one.
    one_row_each_ : bool
        Whether every patient had one row in ``fit``. If not, ``predict`` needs ``groups``.
    """

    estimator_: Any
    rule: FrozenRule
    threshold_: float
    classes_: NDArray[Any]
    aggregate: How
    one_row_each_: bool

    def _flips(self, scores: FloatArray) -> FloatArray:
        return self.rule.flip_probability(scores)
