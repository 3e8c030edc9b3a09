"""What both estimators share: the parameters of a study, and the decision of a fitted one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from steadycut.core.rules.registry import Counted
from steadycut.errors import warn_each
from steadycut.estimators.inputs import class_warnings, seed_of
from steadycut.study.fit import Study
from steadycut.study.options import USUAL, FitOptions

RandomState = int | np.random.RandomState | np.random.Generator | None


@dataclass(eq=False, repr=False, kw_only=True)
class StudyParameters:
    """The options of `steadycut.fit` that both estimators have, and where their seed comes from."""

    rule: str | Counted = USUAL["rule"]
    cost_fn: float = USUAL["cost_fn"]
    cost_fp: float = USUAL["cost_fp"]
    grid: int | str = USUAL["grid"]
    n_bootstrap: int = USUAL["n_bootstrap"]
    delta: float = USUAL["delta"]
    honesty: str = USUAL["honesty"]
    certify_size: float = USUAL["certify_size"]
    random_state: RandomState = None
    target_prevalence: float | tuple[float, float] | None = USUAL["target_prevalence"]


class StudyEstimator(StudyParameters, ClassifierMixin, BaseEstimator):
    """A classifier of two classes whose cut-off comes from a study.

    The parameters of an estimator are the fields of a dataclass.
    """

    classes_: NDArray[Any]
    threshold_: float
    study_: Study
    warnings_: list[str]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def positive_class_(self) -> Any:
        """The class that is called: ``classes_[1]``."""
        return self.classes_[1]

    def _study_parameters(self) -> dict[str, Any]:
        """Return the parameters that `study_options` takes, and ``random_state`` as the seed."""
        given = self.get_params(deep=False)
        known = {name: given[name] for name in FitOptions.__annotations__ if name in given}
        return {**known, "seed": seed_of(given["random_state"])}

    def _keep(self, classes: NDArray[Any], study: Study, before: Iterable[str] = ()) -> None:
        """Keep what ``fit`` found, and warn its caller of everything that the study warns of.

        ``before`` is what ``fit`` has warned of already.
        """
        self.classes_ = classes
        self.study_ = study
        self.threshold_ = study.threshold
        noticed = [*class_warnings(classes), *study.warnings]
        self.warnings_ = list(dict.fromkeys([*before, *noticed]))
        warn_each(noticed, stacklevel=4)
