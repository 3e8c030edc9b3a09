"""A classifier of instances and the certified cut-off on its patient scores, learnt together."""

import os
import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from steadycut.core.aggregate.aggregators import How, parse_aggregator
from steadycut.core.checks import FloatArray, check_count, shown
from steadycut.core.diagnose import class_warnings
from steadycut.core.records import PatientScores
from steadycut.core.rules.registry import Counted
from steadycut.errors import BadOption, SteadycutWarning
from steadycut.estimators.cross_fit import LEAST_FOLDS, Scorer, check_scorer, lay_out
from steadycut.estimators.inputs import (
    Patients,
    check_running,
    one_class_each,
    read_patients,
    seed_of,
    two_classes,
)
from steadycut.estimators.learn import learn
from steadycut.io.progress import progress_on_stderr
from steadycut.study.fit import Progress
from steadycut.study.options import Options, study_options


class PatientDecisions(NamedTuple):
    """Patients as they were named in ``groups``, and the class of each."""

    patients: NDArray[Any]
    decisions: NDArray[Any]


class StableThresholdClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Learn a scorer of instances, and a certified patient-level cut-off on its scores.

    One row is one instance (a cell, a tile, an ECG window), ``groups`` says which patient it
    belongs to. Patients are dealt into two roles without a look at their labels. Those who choose
    get cross-fitted scores, from models that never saw them; the rule chooses a cut-off on these;
    then a scorer is fitted on all of them and deployed. Those who certify were seen by no model:
    the deployed scorer and cut-off are tried on them, and the certificate holds for both.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier. A row's score is its ``predict_proba`` of ``classes_[1]``, or
        its ``decision_function`` where there is none. A ``random_state`` that is None is seeded.
    aggregate
        How the scores of a patient's rows become one: ``"mean"``, ``"median"``, ``"max"``,
        ``"min"``, ``"quantile:Q"``, ``"top-k:K"``, ``"fraction-above:X"``, ``"noisy-or"``,
        ``"trimmed-mean:X"``, or a function.
    cv
        Number of folds; fewer where a class has fewer patients.
    n_jobs
        How many replicates are fitted at a time, by joblib; any backend of it may be set with
        `joblib.parallel_config`, a Dask cluster too. The result is the same for every number.
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
        How often the patients are resampled, the scorers fitted and the rule run again. Each
        replicate fits ``cv`` models.
    delta
        Failure probability of the certificate, and of the bootstrap radius and modulus band.
    honesty
        Only ``"split"``: a bound over all cuts does not hold for a scorer that learnt from the
        patients who certify.
    certify_size
        Share of the patients who certify.
    random_state : int, RandomState, Generator or None
        An int is the seed of the study. A generator is asked for one seed in every ``fit``; None
        asks numpy's global one. The seed that was used is ``study_.options.seed``.
    checkpoint
        A folder of its own in which finished replicates are kept. A fit that was killed goes on
        from there, with the same result to the last bit; one of other data, options, seed or
        versions is refused. Needs an int as ``random_state``. Remove the folder when it is no
        longer wanted.
    progress
        True tells on stderr how many replicates are done and how long the others will take: on a
        terminal in one line that rewrites itself, else in plain lines now and then. A function is
        called with a text, the number of replicates done, and of all.

    Attributes
    ----------
    estimator_ : object
        The deployed scorer, fitted on the rows of the patients who chose.
    threshold_ : float
        The cut-off on patient scores.
    study_ : steadycut.Study
        The whole study: certificate, stability, warnings. The scores of patients who chose are
        cross-fitted, those of patients who certify come from ``estimator_``.
    classes_ : ndarray of shape (2,)
        The two classes in ascending order; ``classes_[1]`` is the positive one.
    n_redrawn_ : int
        How many resampled cohorts had too few patients of a class to be dealt into folds, and
        were drawn again.
    n_features_in_ : int
        Number of columns, where the rows have such.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, where ``fit`` saw a data frame.

    Warns
    -----
    SteadycutWarning
        In ``fit``, where a class has fewer than 10 patients in all. Other warnings are in
        ``study_.warnings``.

    Notes
    -----
    A class with fewer than 2 patients is refused. The split does not look at labels, so the
    choosing patients may lack a class, or hold one patient of it: models fitted without a class
    give every row the same score, 0 or 1.

    In a replicate all rows of a drawn patient travel together, and copies of a patient stay in
    one fold. The radius, the flip probabilities and the other stability numbers compare cut-offs
    of different scorers on one score scale. That suits probabilities; margins of refitted scorers
    may differ in scale, and the radius then contains that. Flip probabilities move the cut-off
    and keep the deployed scorer.

    Rows of patients who chose were seen by ``estimator_``: do not judge it by predictions for
    them. There are no sample weights: patients are drawn whole.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from steadycut import StableThresholdClassifier
    >>> rng = np.random.default_rng(7)
    >>> patient = np.repeat(np.arange(120), 5)
    >>> sick = rng.random(120) < 0.4
    >>> X = rng.normal(size=(600, 3)) + sick[patient, None]
    >>> model = StableThresholdClassifier(LogisticRegression(), n_bootstrap=20, random_state=0)
    >>> model = model.fit(X, sick[patient], groups=patient)
    >>> certificate = model.study_.certificate
    >>> certificate.n_patients, certificate.risk < certificate.value
    (60, True)
    >>> patients, decisions = model.predict_patients(X[:10], groups=patient[:10])
    >>> patients, decisions
    (array([0, 1]), array([False, False]))
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        estimator: Any,
        aggregate: How = "mean",
        cv: int = 5,
        n_jobs: int | None = None,
        rule: str | Counted = "stable",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        grid: int | str = 200,
        n_bootstrap: int = 200,
        delta: float = 0.1,
        honesty: str = "split",
        certify_size: float = 0.5,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress | bool | None = None,  # noqa: FBT001
    ) -> None:
        self.estimator = estimator
        self.aggregate = aggregate
        self.cv = cv
        self.n_jobs = n_jobs
        self.rule = rule
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.grid = grid
        self.n_bootstrap = n_bootstrap
        self.delta = delta
        self.honesty = honesty
        self.certify_size = certify_size
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn a scorer; choose, freeze and certify a cut-off on its patient scores.

        Parameters
        ----------
        X
            One row an instance, in any form that ``estimator`` takes.
        y
            The class of each row's patient, shape (n,); any two classes.
        groups
            The patient of each row, shape (n,); without it each row is a patient.

        Returns
        -------
        StableThresholdClassifier
            This object.
        """
        options = self._options()
        validate_data(self, X, y, skip_check_array=True)
        X, target, groups = indexable(X, column_or_1d(y, warn=True), groups)
        assert_all_finite(target, input_name="y")
        patients = read_patients(groups, _num_samples(X))
        classes, labels = two_classes(one_class_each(target, patients))
        scorer = self._scorer(classes[1])
        cohort = scorer.patient_scores(np.zeros(labels.size), patients, labels)
        instances = lay_out(X, target, labels, patients)
        with self._progress() as progress:
            learned = learn(
                scorer, instances, cohort, options, self.n_jobs, progress, self.checkpoint
            )
        self.classes_ = classes
        self.estimator_ = learned.model
        self.study_ = learned.study
        self.threshold_ = learned.study.threshold
        self.n_redrawn_ = learned.n_redrawn
        for text in class_warnings("in all", cohort.n_positive, cohort.n_negative):
            warnings.warn(text, SteadycutWarning, stacklevel=2)
        return self

    def predict(self, X: Any, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Return for each row the class of its patient.

        Parameters
        ----------
        X
            One row an instance.
        groups
            The patient of each row; without it each row is a patient.

        Returns
        -------
        ndarray of shape (n,)
        """
        scores, patients = self._scored(X, groups)
        return self._decide(scores)[patients.of_row]

    def predict_patients(self, X: Any, groups: ArrayLike | None = None) -> PatientDecisions:
        """Return the class of each patient.

        Parameters
        ----------
        X
            One row an instance.
        groups
            The patient of each row; without it each row is a patient.

        Returns
        -------
        PatientDecisions
            The pair ``patients``, ``decisions``; patients in the order of their names, as texts.
        """
        scores, patients = self._scored(X, groups)
        return PatientDecisions(patients.values, self._decide(scores))

    def score_patients(self, X: Any, groups: ArrayLike | None = None) -> PatientScores:
        """Return the score of each patient, in the order of `predict_patients`.

        Parameters
        ----------
        X
            One row an instance.
        groups
            The patient of each row; without it each row is a patient.

        Returns
        -------
        steadycut.PatientScores
            Without labels: what ``study_.freeze()`` decides on and `steadycut.study.audit` takes.
        """
        scores, patients = self._scored(X, groups)
        return self._scorer(self.classes_[1]).patient_scores(scores, patients)

    def flip_probability(self, X: Any, groups: ArrayLike | None = None) -> FloatArray:
        """Return how often a refitted study's cut-off would decide otherwise on a row's patient.

        Parameters
        ----------
        X
            One row an instance.
        groups
            The patient of each row; without it each row is a patient.

        Returns
        -------
        ndarray of shape (n,)
            Share of the bootstrap cut-offs that decide otherwise than ``predict``.
        """
        scores, patients = self._scored(X, groups)
        return self.study_.flip_probability(scores)[patients.of_row]

    def score(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> float:
        """Return the share of patients who are decided on rightly.

        Parameters
        ----------
        X
            One row an instance.
        y
            The class of each row's patient.
        groups
            The patient of each row; without it each row is a patient.

        Returns
        -------
        float
        """
        scores, patients = self._scored(X, groups)
        truth = one_class_each(column_or_1d(y), patients)
        return float(np.mean(self._decide(scores) == truth))

    def _options(self) -> Options:
        check_scorer(self.estimator)
        check_count("cv", self.cv, at_least=LEAST_FOLDS)
        parse_aggregator(self.aggregate)
        if not isinstance(self.honesty, str) or self.honesty != "split":
            msg = (
                f"honesty must be 'split'; got {shown(self.honesty)}. A bound over all cuts does "
                "not hold for a scorer that learnt from the patients who certify."
            )
            raise BadOption(msg)
        check_running(self.checkpoint, self.random_state, self.progress)
        return study_options(
            rule=self.rule,
            cost_fn=self.cost_fn,
            cost_fp=self.cost_fp,
            grid=self.grid,
            n_bootstrap=self.n_bootstrap,
            delta=self.delta,
            certify_size=self.certify_size,
            seed=seed_of(self.random_state),
        )

    def _progress(self) -> AbstractContextManager[Progress | None]:
        if self.progress is True:
            return progress_on_stderr()
        return nullcontext(self.progress or None)

    def _scorer(self, positive: Any) -> Scorer:
        return Scorer(
            estimator=self.estimator, positive=positive, how=self.aggregate, n_folds=self.cv
        )

    def _scored(self, X: Any, groups: ArrayLike | None) -> tuple[FloatArray, Patients]:
        check_is_fitted(self)
        patients = read_patients(groups, _num_samples(X))
        scorer = self._scorer(self.classes_[1])
        scores = scorer.score_rows(self.estimator_, X)
        return scorer.aggregate(scores, patients.of_row), patients

    def _decide(self, scores: FloatArray) -> NDArray[Any]:
        called = scores >= self.threshold_
        return self.classes_[called.astype(np.intp)]
