"""Check what the estimators are given: classes, patients and seeds."""

import inspect
import os
from collections import Counter
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.utils import _safe_indexing, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from steadycut.core.checks import IntArray, read_only, refuse, refuse_masked, shown
from steadycut.errors import BadOption, BadPatients, TooFewPatients, warned_if
from steadycut.rule_reader import is_missing_mark

LARGEST_SEED = 2**31 - 1
LOST_GROUPS = (
    "groups would be lost: without metadata routing scikit-learn gives them to the splitter only, "
    "and each row would count as a patient. Type sklearn.set_config(enable_metadata_routing=True), "
    "then cross_validate(..., params={'groups': groups}), or GridSearchCV(...).fit(X, y, "
    "groups=groups). Or name the column of X that holds the patient: patient='...'."
)


def two_classes(target: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the two classes in ascending order, and 0 or 1 for each patient."""
    if not target.size:
        raise TooFewPatients("X and y must hold at least one row; got 0.")
    check_classification_targets(target)
    kind = type_of_target(target, input_name="y")
    if kind != "binary":
        # scikit-learn's own checks expect the first sentence.
        raise BadPatients(
            f"Only binary classification is supported. The type of the target is {kind}. "
            "Join classes until there are two."
        )
    classes, labels = np.unique(target, return_inverse=True)
    if classes.size == 1:
        msg = f"y must hold two classes; got one class only, for all {target.size} patients."
        raise TooFewPatients(msg)
    return classes, labels


def validated(model: Any, scores: Any, *y: Any, **more: Any) -> Any:
    """Return scores, perhaps with labels, as scikit-learn checks them; no error names an entry."""
    for name, given in zip(("scores", "y"), (scores, *y), strict=False):
        refuse_masked(name, given)
    try:
        return validate_data(model, scores, *y, ensure_2d=False, dtype=np.float64, **more)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise BadPatients("scores must be numbers; some are other text.") from None


def class_warnings(classes: NDArray[Any]) -> list[str]:
    """Say which class is called, unless y is 0 and 1 or -1 and 1, as scikit-learn's ``pos_label``.

    Examples
    --------
    >>> class_warnings(np.array(["cancer", "healthy"]))[0][:49]
    "classes: 'healthy' counts as the ill class, being"
    >>> class_warnings(np.array([0, 1])), class_warnings(np.array([False, True]))
    ([], [])
    """
    low, high = classes.tolist()
    msg = (
        f"{high!r} counts as the ill class, being the last in order. If it is {low!r} "
        f"that is to be called, fit with y == {low!r}."
    )
    return warned_if(high != 1 or low not in {-1, 0}, "classes", msg)


def seed_of(random_state: object) -> int:
    """Return the seed of a study: an int itself, or one number drawn from a generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST_SEED))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(LARGEST_SEED))
    if not isinstance(random_state, Integral) or random_state < 0:
        allowed = "None, a whole number of at least 0, a RandomState or a Generator"
        refuse("random_state", f"be {allowed}", random_state)
    return int(random_state)


def check_running(checkpoint: object, random_state: object, progress: object) -> None:
    """Refuse a checkpoint that no later fit could use, and a progress that cannot be called."""
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        refuse("checkpoint", "be None or the path of a folder", checkpoint)
    if checkpoint is not None and not isinstance(random_state, Integral):
        raise BadOption(
            "a checkpoint needs a whole number as random_state, or the next fit would be another "
            f"study; got {shown(random_state)}."
        )
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        refuse("progress", "be None, True or a function", progress)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Patients:
    """The patients, in the order of their names, and the patient of each row.

    ``values`` are the patients as they were given, ``names`` the same as texts. ``names`` is None
    if each row is a patient.
    """

    values: NDArray[Any]
    names: NDArray[np.str_] | None
    of_row: IntArray

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return self.values.size

    @property
    def first_rows(self) -> IntArray:
        """The first row of each patient."""
        return np.unique(self.of_row, return_index=True)[1]


def split_column(X: Any, column: int | str | None, groups: Any) -> tuple[Any, Any]:
    """Return the rows and the patient of each row.

    If ``column`` names a column of ``X``, this column holds the patients and is taken out of the
    rows. ``groups`` are then not used: a splitter may have needed them, for example the hospitals.

    Examples
    --------
    >>> import numpy as np
    >>> split_column(np.array([[7, 1], [7, 2]]), 0, None)
    (array([[1],
           [2]]), array([7, 7]))
    """
    if column is None:
        return X, groups
    X = X if hasattr(X, "shape") else np.asarray(X)
    names = list(getattr(X, "columns", range(X.shape[1])))
    if column not in names:
        numbers = f"a number from 0 to {len(names) - 1}" if isinstance(names[0], int) else "a name"
        refuse("patient", f"be a column of X, given as {numbers}", column)
    place = names.index(column)
    rest = [other for other in range(len(names)) if other != place]
    held = _safe_indexing(X, place, axis=1)
    return _safe_indexing(X, rest, axis=1), held.toarray().ravel() if issparse(held) else held


def read_patients(groups: Any, n_rows: int) -> Patients:
    """Return the patient of each row; without ``groups`` each row is a patient.

    Examples
    --------
    >>> found = read_patients([10, 2, 10], 3)
    >>> found.values, found.of_row
    (array([10,  2]), array([0, 1, 0]))
    """
    if groups is None:
        every = np.arange(n_rows)
        return Patients(values=every, names=None, of_row=every)
    given = column_or_1d(groups)
    if given.size != n_rows:
        raise BadPatients(f"groups must have one entry per row ({n_rows}); got {given.size}.")
    _refuse_missing(given)
    _refuse_large_floats(given)
    # Objects of several types cannot be sorted, but their texts can.
    keys = given.astype(np.str_) if given.dtype.kind == "O" else given
    distinct, first, code = np.unique(keys, return_index=True, return_inverse=True)
    names = distinct.astype(np.str_)
    order = np.argsort(names, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return Patients(
        values=given[first][order], names=read_only(names[order]), of_row=read_only(place[code])
    )


def rows_as_patients(groups: Any, n_rows: int) -> list[str]:
    """Return a warning if ``fit`` got no groups."""
    msg = (
        f"fit got no groups, so each of the {n_rows:,} rows counts as one patient. If patients "
        "have several rows, the certificate is far too good: name the patient of each row, "
        "fit(X, y, groups=...). If each row is a patient, say groups=range(len(X))."
    )
    return warned_if(groups is None, "rows as patients", msg)


def refuse_lost_groups(model: Any) -> None:
    """Refuse to be cross-validated with groups that scikit-learn does not pass on to ``fit``.

    Without metadata routing, ``cross_validate(model, X, y, groups=...)`` gives the groups to the
    splitter only. Nothing tells ``fit`` about them. But scikit-learn clones the model first, and
    then the groups are a variable of the function that does so.
    """
    routed = get_config()["enable_metadata_routing"] or model.patient is not None
    frame = None if routed else inspect.currentframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection."):
            given = frame.f_locals
            search = given.get("self")
            owner = given.get("estimator") if search is None else search
            asked = given if search is None else given.get("params", {})
            if asked.get("groups") is not None and _ends_in(owner, model):
                raise BadPatients(LOST_GROUPS)
        frame = frame.f_back


def _ends_in(owner: Any, model: Any) -> bool:
    """Whether ``model`` is the last step of a pipeline or search."""
    while owner is not None and owner is not model:
        steps = getattr(owner, "steps", None)
        owner = steps[-1][1] if steps else getattr(owner, "estimator", None)
    return owner is model


def one_class_each(y: NDArray[Any], patients: Patients) -> NDArray[Any]:
    """Return the class of each patient; refuse a patient whose rows disagree."""
    by_patient = y[patients.first_rows]
    torn = np.unique(patients.of_row[y != by_patient[patients.of_row]]).size
    if torn:
        raise BadPatients(
            f"y must be the same in all rows of a patient; it differs within {torn} of "
            f"{patients.n_patients} patients. Give every row the class of its patient."
        )
    return by_patient


def _refuse_large_floats(groups: NDArray[Any]) -> None:
    """Refuse floats so large that neighbouring whole numbers are equal: patients would merge."""
    if groups.dtype.kind != "f":
        return
    limit = 2.0 ** (np.finfo(groups.dtype).nmant + 1)
    if np.any(np.abs(groups) >= limit):
        raise BadPatients(
            f"groups must not be floats of {limit:.0f} or more, where neighbouring numbers are "
            "equal and patients would merge. Give whole numbers or texts."
        )


def _refuse_missing(groups: NDArray[Any]) -> None:
    if groups.dtype.kind in "Siub":
        return
    texts = Counter(map(str, groups.tolist()))
    missing = sum(n for text, n in texts.items() if is_missing_mark(text, patient=True))
    missing += texts["NaT"]
    if missing:
        msg = f"groups must name the patient of every row; {missing} of {groups.size} are missing."
        raise BadPatients(msg)
