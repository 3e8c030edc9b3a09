"""Learn a classifier of instances, and a certified cut-off on its patient scores."""

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from steadycut.core.aggregate.aggregators import How, parse_aggregator
from steadycut.core.checks import FloatArray, check_count, check_same_order, shown
from steadycut.errors import BadOption, explains_calls, warn_each
from steadycut.estimators import inputs
from steadycut.estimators.base import StudyEstimator
from steadycut.estimators.cross_fit import LEAST_FOLDS, Scorer, check_scorer, lay_out
from steadycut.estimators.decider import PatientDecider
from steadycut.estimators.deployed import DeployedClassifier
from steadycut.estimators.learn import learn
from steadycut.io.progress import progress_on_stderr
from steadycut.study.choosing import Progress
from steadycut.study.options import Options, study_options


@dataclass(eq=False, repr=False)
class StableThresholdClassifier(PatientDecider, MetaEstimatorMixin, StudyEstimator):
    """Learn a scorer of instances, and a certified patient-level cut-off on its scores.

    One row is one instance (a cell, a tile, an ECG window), and ``groups`` says which patient it
    belongs to. Patients get one of two roles, without a look at their labels. Those who choose
    get cross-fitted scores from models that never saw them, and the rule chooses a cut-off on
    these scores. Then a scorer is fitted on all of them and deployed. No model saw the patients
    who certify: the deployed scorer and cut-off are tested on them, and the certificate holds for
    both.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier. A row's score is its ``predict_proba`` of ``classes_[1]``, or
        else its ``decision_function``. A ``random_state`` of None gets a seed.
    aggregate
        How the scores of a patient's rows become one: a name such as ``"mean"``, ``"max"`` or
        ``"quantile:0.9"`` (docs/guide/aggregators.md has all), or a function.
    cv
        Number of folds; fewer if a class has fewer patients.
    n_jobs
        How many replicates joblib fits at a time. `joblib.parallel_config` sets its backend. The
        result does not depend on either.
    rule, cost_fn, cost_fp, grid, delta, target_prevalence, random_state
        As in `StableThreshold`.
    n_bootstrap
        How often the patients are resampled, the scorers fitted and the rule run again. Each
        replicate fits ``cv`` models.
    honesty
        Only ``"split"``: a bound over all cuts does not hold for a scorer that learnt from the
        patients who certify.
    certify_size
        Share of the patients who certify.
    checkpoint
        A folder in which finished replicates are kept; use one folder per fit. A fit that was
        killed continues from there, with the same result to the last bit. A checkpoint of other
        data, options, seed or versions is refused. Needs an int as ``random_state``. Remove the
        folder when you no longer need it.
    progress
        True shows on stderr how many replicates are done and how long the rest will take: on a
        terminal in one line that is rewritten, otherwise in an occasional line. A function is
        called with a text, the number of replicates done, and the number of all replicates.
    patient
        The column of ``X`` that names the patient of each row: a name in a data frame, a number in
        an array. The scorer does not see this column. ``fit`` and ``predict`` then need no
        ``groups``, so that all of scikit-learn works, its named scorers included. If ``groups``
        come too, only the splitter uses them.

    Attributes
    ----------
    estimator_ : object
        The deployed scorer, fitted on the rows of the patients who chose.
    threshold_ : float
        The cut-off on patient scores.
    study_ : steadycut.Study
        The whole study: certificate, stability, warnings. The scores of patients who chose are
        cross-fitted, those of patients who certify come from ``estimator_``.
    warnings_ : list of str
        What a reader should know before trusting the numbers; ``fit`` warned of each.
    classes_ : ndarray of shape (2,)
        The two classes in ascending order; ``classes_[1]`` is the positive one.
    positive_class_ : object
        ``classes_[1]``: the class that is called. Unless the classes are 0 and 1, or -1 and 1, a
        warning names it, because the last in order is not always the ill one.
    one_row_each_ : bool
        Whether every patient had one row. If not, ``predict`` needs ``groups`` too.
    n_redrawn_ : int
        How many resampled cohorts had too few patients of a class for the folds, and were drawn
        again.
    n_features_in_ : int
        Number of columns, if the rows have columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if ``fit`` saw a data frame.

    Warns
    -----
    RowsAsPatientsWarning
        In ``fit`` without ``groups``: each row then counts as a patient. If patients have several
        rows, the certificate counts each of them many times and is far too good.
    SteadycutWarning
        In ``fit``, for each text of ``warnings_``: few patients of a class, a cut-off that the
        patients do not settle, data that look odd. The categories are in `steadycut.errors`.

    Notes
    -----
    A class with fewer than 2 patients is refused. The split does not look at labels, so the
    patients who choose may include none or only one of a class. A model that was fitted without
    a class gives every row the same score, 0 or 1.

    In a replicate all rows of a drawn patient stay together, and all copies of a patient are in
    one fold. The radius, the flip probabilities and the other stability numbers compare cut-offs
    of different scorers on one score scale. That suits probabilities. Margins of refitted scorers
    may differ in scale, and the radius then includes this difference. Flip probabilities move the
    cut-off and keep the deployed scorer.

    ``study_`` holds the identifier, score and label of every patient, and a pickle of the fitted
    classifier does too. Send what `export` returns.

    ``estimator_`` saw the rows of the patients who chose: do not judge it by its predictions for
    them. There are no sample weights, because the bootstrap draws whole patients.

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

    estimator: Any
    aggregate: How = "mean"
    cv: int = 5
    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    progress: Progress | bool | None = None
    patient: int | str | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

    # With metadata routing, scikit-learn passes the groups on without being asked to.
    __metadata_request__fit: ClassVar = {"groups": True}
    __metadata_request__predict: ClassVar = {"groups": True}
    __metadata_request__decision_function: ClassVar = {"groups": True}
    __metadata_request__score: ClassVar = {"groups": True}

    def __sklearn_clone__(self) -> Self:
        inputs.refuse_lost_groups(self)
        return super().__sklearn_clone__()

    @explains_calls
    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn a scorer; choose, freeze and certify a cut-off on its patient scores.

        Parameters
        ----------
        X
            One row per instance, in any form that ``estimator`` takes.
        y
            The class of each row's patient, shape (n,); any two classes.
        groups
            The patient of each row, shape (n,). Without it, and without ``patient``, each row
            counts as a patient, and a warning says so.

        Returns
        -------
        StableThresholdClassifier
            This object.
        """
        options = self._options()
        check_same_order({"X": X, "y": y, "groups": groups})
        validate_data(self, X, y, skip_check_array=True)
        X, target, groups = indexable(X, column_or_1d(y, warn=True), groups)
        X, groups = inputs.split_column(X, self.patient, groups)
        assert_all_finite(target, input_name="y")
        pooled = inputs.rows_as_patients(groups, _num_samples(X))
        warn_each(pooled, stacklevel=3)
        patients = inputs.read_patients(groups, _num_samples(X))
        classes, labels = inputs.two_classes(inputs.one_class_each(target, patients))
        scorer = Scorer(
            estimator=self.estimator, positive=classes[1], how=self.aggregate, n_folds=self.cv
        )
        cohort = scorer.patient_scores(np.zeros(labels.size), patients, labels)
        instances = lay_out(X, target, labels, patients)
        with self._progress() as progress:
            running = self.n_jobs, progress, self.checkpoint
            learned = learn(scorer, instances, cohort, options, *running)
        self.estimator_ = learned.model
        self.n_redrawn_ = learned.n_redrawn
        self.one_row_each_ = patients.n_patients == patients.of_row.size
        self._keep(classes, learned.study, pooled)
        return self

    def export(self, small_cells: int | None = None) -> DeployedClassifier:
        """Return the fitted scorer and the frozen rule alone, to be pickled and sent.

        A fitted classifier carries the identifier, score and label of every patient, and so does
        its pickle. What is returned here decides the same without them.

        Parameters
        ----------
        small_cells
            As in `Study.freeze`: no number in the rule stands for fewer patients than that.

        Returns
        -------
        DeployedClassifier
        """
        check_is_fitted(self, "estimator_")
        return DeployedClassifier(
            estimator_=self.estimator_,
            rule=self.study_.freeze(small_cells=small_cells),
            threshold_=self.threshold_,
            classes_=self.classes_,
            aggregate=self.aggregate,
            one_row_each_=self.one_row_each_,
            patient=self.patient,
        )

    def _options(self) -> Options:
        check_scorer(self.estimator)
        check_count("cv", self.cv, at_least=LEAST_FOLDS)
        parse_aggregator(self.aggregate)
        if not isinstance(self.honesty, str) or self.honesty != "split":
            raise BadOption(
                f"honesty must be 'split'; got {shown(self.honesty)}. A bound over all cuts does "
                "not hold for a scorer that learnt from the patients used to check."
            )
        inputs.check_running(self.checkpoint, self.random_state, self.progress)
        return study_options(**self._study_parameters())

    def _progress(self) -> AbstractContextManager[Progress | None]:
        return progress_on_stderr() if self.progress is True else nullcontext(self.progress or None)

    def _flips(self, scores: FloatArray) -> FloatArray:
        return self.study_.flip_probability(scores)
