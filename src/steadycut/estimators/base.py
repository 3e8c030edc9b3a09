"""What both estimators share: the parameters of a study, and the decision of a fitted one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from steadycut.core.rules.registry import Counted
from steadycut.errors import warn_each
from steadycut.estimators.inputs import class_warnings, seed_of
from steadycut.study.fit import Study

RandomState = int | np.random.RandomState | np.random.Generator | None


class StudyEstimator(ClassifierMixin, BaseEstimator):
    """A classifier of two classes whose cut-off comes from a study."""

    classes_: NDArray[Any]
    threshold_: float
    study_: Study
    warnings_: list[str]

    def __init__(
        self,
        rule: str | Counted = "stable",
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        grid: int | str = "exact",
        n_bootstrap: int = 200,
        delta: float = 0.1,
        honesty: str = "split",
        certify_size: float = 0.5,
        random_state: RandomState = None,
        delta_boot: float | None = None,
        direction: str = "ge",
        target_prevalence: float | tuple[float, float] | None = None,
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
        self.delta_boot = delta_boot
        self.direction = direction
        self.target_prevalence = target_prevalence

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def positive_class_(self) -> Any:
        """The class that is called: ``classes_[1]``."""
        return self.classes_[1]

    def _study_parameters(self) -> dict[str, Any]:
        """Return the parameters of this class; ``random_state`` becomes the seed of the study."""
        given = {name: getattr(self, name) for name in StudyEstimator._get_param_names()}
        seed = seed_of(given.pop("random_state"))
        return {**given, "seed": seed}

    def _keep(self, classes: NDArray[Any], study: Study, told: Iterable[str] = ()) -> None:
        """Keep what ``fit`` found, and warn its caller of everything that the study warns of.

        ``told`` is what ``fit`` has warned of already.
        """
        self.classes_ = classes
        self.study_ = study
        self.threshold_ = study.threshold
        found = [*class_warnings(classes), *study.warnings]
        self.warnings_ = list(dict.fromkeys([*told, *found]))
        warn_each(found, stacklevel=3)
