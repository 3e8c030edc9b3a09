"""A study as a scikit-learn classifier of patient scores."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from steadycut.core.checks import FloatArray, check_same_order
from steadycut.core.records import PatientScores
from steadycut.errors import BadPatients, explains_calls
from steadycut.estimators.base import StudyEstimator
from steadycut.estimators.inputs import two_classes, validated
from steadycut.study.fit import run_study
from steadycut.study.options import USUAL, lists_options, study_options


@lists_options
@dataclass(eq=False, repr=False, kw_only=True)
class StableThreshold(StudyEstimator):
    """A certified cut-off on patient scores, as a scikit-learn classifier.

    One row is one patient. Some patients choose a cut-off, the bootstrap says how far it would
    move in another cohort, and patients who did not choose it certify its risk. A patient whose
    score reaches the cut-off is called positive: ``predict`` returns ``classes_[1]``.

    Parameters
    ----------
    {options: rule cost_fn grid n_bootstrap delta honesty certify_size direction target_prevalence}
    random_state : int, RandomState, Generator or None
        An int is the seed of the study, so ``steadycut.fit(..., seed=...)`` repeats it. Every
        ``fit`` draws one seed from a generator; with None, from numpy's global one. The seed that
        was used is ``study_.options.seed``.

    Attributes
    ----------
    threshold_ : float
        The cut-off, in the units of the scores.
    study_ : steadycut.Study
        The whole study: certificate, stability, warnings. ``study_.to_dict()`` is ``study.json``.
    warnings_ : list of str
        What a reader should know before trusting the numbers; ``fit`` warned of each.
    classes_ : ndarray of shape (2,)
        The two classes in ascending order; ``classes_[1]`` is the positive one.
    positive_class_ : object
        ``classes_[1]``: the class that is called. Unless the classes are 0 and 1, or -1 and 1, a
        warning names it, because the last in order is not always the ill one.
    n_features_in_ : int
        Always 1: one score per patient.
    feature_names_in_ : ndarray of shape (1,)
        Name of the score, if ``fit`` saw a data frame of one column.

    Warns
    -----
    SteadycutWarning
        In ``fit``, for each text of ``warnings_``: few patients of a class, a cut-off that the
        patients do not settle, data that look odd. The categories are in `steadycut.errors`.

    Notes
    -----
    A class with fewer than 2 patients is refused. Patients have no identifier here, so their row
    is their identity: the same rows in another order get other roles.

    There is no ``decision_function``: scikit-learn predicts the positive class where that is above
    0, but here a patient exactly at the cut-off is called positive. So
    `sklearn.calibration.CalibratedClassifierCV` cannot wrap it. Calibrate the model that makes the
    scores instead, and give it to `StableThresholdClassifier`; calibration is increasing, so it
    does not move a decision. There are no sample weights, because the bootstrap draws whole
    patients.

    scikit-learn's tags: the input is that of `sklearn.isotonic.IsotonicRegression`, one column.
    ``check_estimator`` passes matrices to everything that takes two dimensions, so on this object
    it can run one check only. The tests run all of its checks on a subclass that takes the first
    column of a matrix. ``poor_score`` is set because these checks ask a classifier to separate
    blobs with two columns, which a single score cannot do.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import StableThreshold
    >>> rng = np.random.default_rng(7)
    >>> sick = rng.random(200) < 0.4
    >>> scores = rng.normal(size=200) + 2 * sick
    >>> model = StableThreshold(cost_fn=2.0, random_state=0).fit(scores, np.where(sick, "T", "B"))
    >>> bool(0 < model.threshold_ < 2)
    True
    >>> model.predict([-3.0, model.threshold_, 4.0])
    array(['B', 'T', 'T'], dtype='<U1')
    >>> model.flip_probability([-3.0, 4.0])
    array([0., 0.])
    >>> certificate = model.study_.certificate
    >>> certificate.n_patients, certificate.risk < certificate.value
    (100, True)
    """

    direction: str = USUAL["direction"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.poor_score = True
        return tags

    @explains_calls
    def fit(self, scores: ArrayLike, y: ArrayLike) -> Self:
        """Choose, freeze and certify a cut-off.

        Parameters
        ----------
        scores
            One score per patient, shape (n,) or (n, 1). High scores mean ``classes_[1]``; with
            ``direction="le"`` low scores do.
        y
            The class of each patient, shape (n,); any two classes.

        Returns
        -------
        StableThreshold
            This object.
        """
        check_same_order({"scores": scores, "y": y})
        checked, target = validated(self, scores, y)
        classes, labels = two_classes(target)
        cohort = PatientScores(scores=_one_column(checked), labels=labels)
        study = run_study([cohort], study_options(**self._study_parameters()))
        self.n_features_in_ = 1
        self._keep(classes, study)
        return self

    def predict(self, scores: ArrayLike) -> NDArray[Any]:
        """Return the class of each patient: ``classes_[1]`` where the score reaches the cut-off.

        Parameters
        ----------
        scores
            One score per patient, shape (n,) or (n, 1).

        Returns
        -------
        ndarray of shape (n,)
        """
        checked = self._checked(scores)
        sign = self.study_.options.sign
        return self.classes_[(sign * checked >= sign * self.threshold_).astype(np.intp)]

    def flip_probability(self, scores: ArrayLike) -> FloatArray:
        """Return for each patient how often a resampled study would decide differently.

        Parameters
        ----------
        scores
            As in `predict`.

        Returns
        -------
        ndarray of shape (n,)
            Share of the bootstrap cut-offs whose decision differs from ``predict``.
        """
        checked = self._checked(scores)
        return self.study_.flip_probability(checked)

    def _checked(self, scores: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return _one_column(validated(self, scores, reset=False))


def _one_column(scores: FloatArray) -> FloatArray:
    if scores.shape[1:] not in ((), (1,)):
        raise BadPatients(
            f"scores must have shape (n,) or (n, 1), one score per patient; got {scores.shape}. "
            "Pass one column."
        )
    return scores.reshape(-1)
