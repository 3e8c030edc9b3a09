"""A fitted classifier without its patients: the scorer and the frozen rule alone."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from steadycut.core.aggregate.aggregators import How
from steadycut.core.checks import FloatArray
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption
from steadycut.estimators.decider import PatientDecider
from steadycut.estimators.onnx_model import onnx_model


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
    patient : int, str or None
        The column of ``X`` that names the patient of each row.
    """

    estimator_: Any
    rule: FrozenRule
    threshold_: float
    classes_: NDArray[Any]
    aggregate: How
    one_row_each_: bool
    patient: int | str | None = None

    def to_sklearn(self) -> FixedThresholdClassifier:
        """Return a plain `sklearn.model_selection.FixedThresholdClassifier` that decides the same.

        It needs no steadycut. It takes rows without the column ``patient``. ``fit`` does not
        change the scorer in it, which is frozen. scikit-learn too calls a score that equals the
        cut-off positive.

        Raises
        ------
        BadOption
            If patients have several rows: scikit-learn would decide about single rows.
        """
        self._check_both_classes()
        if not self.one_row_each_:
            raise BadOption(
                "FixedThresholdClassifier decides about rows, but the patients have several rows "
                "each. Keep what export() returns: its predict takes groups."
            )
        self._check_one_row_is_its_score()
        proba = hasattr(self.estimator_, "predict_proba")
        return FixedThresholdClassifier(
            FrozenEstimator(self.estimator_),
            threshold=self.threshold_,
            pos_label=self.classes_[1],
            response_method="predict_proba" if proba else "decision_function",
        )

    def _check_one_row_is_its_score(self) -> None:
        """Refuse an aggregator that makes something else of the score of a single row."""
        if str(self.aggregate).startswith("fraction-above"):
            raise BadOption(
                f"with aggregate={self.aggregate!r} a patient of one row has the score 0 or 1, and "
                "not that of the row. Keep what export() returns."
            )

    def to_onnx(self) -> Any:
        """Return scorer, aggregator and cut-off as one ONNX model.

        Its input ``X`` is a matrix of numbers, one row per instance, without the column
        ``patient``. If ``fit`` saw one row per patient, each row is decided. Otherwise each call
        takes the rows of one patient. The outputs are ``score`` and ``decision`` (1 means
        ``classes_[1]``). The frozen rule is in the metadata as ``steadycut.rule``.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        BadOption
            If skl2onnx cannot convert the scorer, or the aggregator is not ``mean``, ``max`` or
            ``min`` while patients have several rows.

        Notes
        -----
        ONNX computes in its own order, and some scorers only in single precision. A score may
        differ by about 1e-15, or 1e-6 in single precision, so a patient closer than that to the
        cut-off may be decided differently. A tree may send a rounded feature to another branch.
        Compare ``score`` with `score_patients` on your own rows before you deploy it.
        """
        self._check_both_classes()
        if self.one_row_each_:
            self._check_one_row_is_its_score()
        how = None if self.one_row_each_ else self.aggregate
        model = onnx_model(self.estimator_, self.threshold_, how)
        model.metadata_props.add(key="steadycut.rule", value=self.rule.to_bytes().decode())
        return model

    def _check_both_classes(self) -> None:
        if len(self.estimator_.classes_) == 1:
            raise BadOption(
                "the scorer was fitted on patients of one class only and scores all rows alike; "
                "it cannot be converted. Fit it on more patients."
            )

    def _flips(self, scores: FloatArray) -> FloatArray:
        return self.rule.flip_probability(scores)
