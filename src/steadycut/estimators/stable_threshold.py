"""A study as a scikit-learn classifier of patient scores."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from steadycut.core.checks import FloatArray
from steadycut.core.diagnose import class_warnings
from steadycut.core.records import PatientScores
from steadycut.core.rules.registry import Counted
from steadycut.errors import BadPatients, SteadycutWarning
from steadycut.estimators.inputs import seed_of, two_classes
from steadycut.study.fit import fit


class StableThreshold(ClassifierMixin, BaseEstimator):
    """A certified cut-off on patient scores, as a scikit-learn classifier.

    One row is one patient. The patients choose a cut-off, the bootstrap says how far it would
    move in another cohort, and patients who did not choose it certify its risk. A patient whose
    score reaches the cut-off is called: ``predict`` returns ``classes_[1]``.

    Parameters
    ----------
    rule
        How a cut is chosen along the scores: ``"stable"``, ``"erm"``, ``"youden"``,
        ``"sensitivity:0.95"`` and many more (``steadycut rules`` lists them); or a function
        ``(tp, fn, fp, tn) -> value``, which takes four arrays along the cuts and is maximised.
    cost_fn, cost_fp
        What a missed patient and a false alarm cost.
    grid
        Number of evenly spaced cuts over the observed range, or ``"exact"``: every cut between
        two neighbouring scores.
    n_bootstrap
        How often the patients are resampled and the whole rule run again.
    delta
        Failure probability of the certificate, and of the bootstrap radius and modulus band.
    honesty
        ``"split"``: some patients choose, the others certify. ``"uniform"``: all patients choose,
        and the certificate pays for it with a bound that holds at all cuts at once.
    certify_size
        Share of the patients who certify, with ``honesty="split"``.
    random_state : int, RandomState, Generator or None
        An int is the seed of the study, so that ``steadycut.fit(..., seed=...)`` repeats it. A
        generator is asked for one seed in every ``fit``; None asks numpy's global one. The seed
        that was used is ``study_.options.seed``.

    Attributes
    ----------
    threshold_ : float
        The cut-off, in the units of the scores.
    study_ : steadycut.Study
        The whole study: certificate, stability, warnings. ``study_.to_dict()`` is ``study.json``.
    classes_ : ndarray of shape (2,)
        The two classes in ascending order; ``classes_[1]`` is the positive one.
    n_features_in_ : int
        Always 1: one score a patient.
    feature_names_in_ : ndarray of shape (1,)
        Name of the score, where ``fit`` saw a data frame of one column.

    Warns
    -----
    SteadycutWarning
        In ``fit``, where a class has fewer than 10 patients in all. What depends on the deal or on
        the draws (few patients in one role, a flat or a multi-modal minimum) is no Python warning,
        so that one cohort warns with every seed or with none: read it in ``study_.warnings``.

    Notes
    -----
    A class with fewer than 2 patients is refused. Patients have no identifier here, so their row
    is their identity: the same rows in another order are dealt into other roles.

    There is no ``decision_function``: scikit-learn calls the positive class where that is above 0,
    and a patient exactly at the cut-off is called here. There are no sample weights: patients are
    drawn whole.

    scikit-learn's tags: the input is that of `sklearn.isotonic.IsotonicRegression`, and
    ``poor_score`` says no more than that a single score cannot separate the two-column blobs
    which scikit-learn's own checks ask a classifier to separate.

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

    def __init__(
        self,
        rule: str | Counted = "stable",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        grid: int | str = 200,
        n_bootstrap: int = 200,
        delta: float = 0.1,
        honesty: str = "split",
        certify_size: float = 0.5,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
    ) -> None:
        self.rule = rule
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.grid = grid
        self.n_bootstrap = n_bootstrap
        self.delta = delta
        self.honesty = honesty
        self.certify_size = certify_size
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, scores: ArrayLike, y: ArrayLike) -> Self:
        """Choose, freeze and certify a cut-off.

        Parameters
        ----------
        scores
            One score a patient, shape (n,) or (n, 1); a large one speaks for ``classes_[1]``.
        y
            The class of each patient, shape (n,); any two classes.

        Returns
        -------
        StableThreshold
            This object.
        """
        checked, target = validate_data(self, scores, y, ensure_2d=False, dtype=np.float64)
        classes, labels = two_classes(target)
        cohort = PatientScores(scores=_one_column(checked), labels=labels)
        study = fit(
            cohort,
            rule=self.rule,
            cost_fn=self.cost_fn,
            cost_fp=self.cost_fp,
            grid=self.grid,
            n_bootstrap=self.n_bootstrap,
            delta=self.delta,
            honesty=self.honesty,
            certify_size=self.certify_size,
            seed=seed_of(self.random_state),
        )
        self.n_features_in_ = 1
        self.classes_ = classes
        self.study_ = study
        self.threshold_ = study.threshold
        for text in class_warnings("in all", cohort.n_positive, cohort.n_negative):
            warnings.warn(text, SteadycutWarning, stacklevel=2)
        return self

    def predict(self, scores: ArrayLike) -> NDArray[Any]:
        """Return the class of each patient: ``classes_[1]`` where the score reaches the cut-off.

        Parameters
        ----------
        scores
            One score a patient, shape (n,) or (n, 1).

        Returns
        -------
        ndarray of shape (n,)
        """
        patient_scores = self._checked(scores)
        called = patient_scores >= self.threshold_
        return self.classes_[called.astype(np.intp)]

    def flip_probability(self, scores: ArrayLike) -> FloatArray:
        """Return how often a resampled study would decide otherwise, for each patient.

        Parameters
        ----------
        scores
            One score a patient, shape (n,) or (n, 1).

        Returns
        -------
        ndarray of shape (n,)
            Share of the bootstrap cut-offs that decide otherwise than ``predict``.
        """
        patient_scores = self._checked(scores)
        return self.study_.flip_probability(patient_scores)

    def _checked(self, scores: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return _one_column(
            validate_data(self, scores, reset=False, ensure_2d=False, dtype=np.float64)
        )


def _one_column(scores: FloatArray) -> FloatArray:
    if scores.shape[1:] not in ((), (1,)):
        msg = (
            f"scores must have shape (n,) or (n, 1), one score a patient; got {scores.shape}. "
            "Pass one column."
        )
        raise BadPatients(msg)
    return scores.reshape(-1)
