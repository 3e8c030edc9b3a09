"""What the result of a learnt study depends on, so that a checkpoint can recognise it."""

import pickle
import platform
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
import scipy
import sklearn

from steadycut._version import __version__
from steadycut.core.aggregate.aggregators import parse_aggregator
from steadycut.core.records import PatientScores
from steadycut.errors import BadCheckpoint
from steadycut.estimators.cross_fit import Instances, Scorer
from steadycut.study.options import Options


def study_fingerprint(
    scorer: Scorer, instances: Instances, cohort: PatientScores, options: Options
) -> dict[str, str]:
    """Return data, estimator, options, seed and versions as texts; of the data only a hash."""
    rows = (instances.X, instances.y, instances.labels, instances.rows, instances.offsets)
    return {
        "data": _digest("X and y", (rows, cohort.patients)),
        "estimator": _digest("estimator", (type(scorer.estimator).__name__, scorer.estimator)),
        "aggregate": _name_of(scorer.how),
        "options": f"cv={scorer.n_folds} {replace(options, seed=0)!r}",
        "seed": str(options.seed),
        "versions": versions(),
    }


def versions() -> str:
    """Return the versions that numbers may depend on."""
    packages = {"numpy": np, "scipy": scipy, "scikit-learn": sklearn}
    named = [f"{name} {package.__version__}" for name, package in packages.items()]
    return ", ".join([f"steadycut {__version__}", f"Python {platform.python_version()}", *named])


def _digest(what: str, content: Any) -> str:
    try:
        return joblib.hash(content, hash_name="sha1", coerce_mmap=True)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise BadCheckpoint(
            f"a checkpoint must recognise {what}, but this cannot be pickled "
            f"({type(error).__name__}). Define its parts in a module, or use no checkpoint."
        ) from None


def _name_of(how: Any) -> str:
    """Return the name of an aggregator; for a function a hash of its source, which may change."""
    if isinstance(how, str):
        return how
    source, *_ = joblib.func_inspect.get_func_code(how)
    return _digest("aggregate", (parse_aggregator(how).name, source))
