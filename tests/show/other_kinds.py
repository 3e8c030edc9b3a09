"""Plain content of the documents that are not about one cut-off."""

from functools import cache

import numpy as np

from steadycut import audit, fit_by_covariate, fit_strata, monitor, plan
from tests.core.strata_cohorts import SQUARE, graded
from tests.show.figures import samples


@cache
def _strata(direction="ge"):
    patients, grades = graded(1, 120, distance=1.5)
    return fit_strata(patients, costs=SQUARE.values, grades=grades, n_bootstrap=20)


@cache
def _covariate(kind):
    cohort = samples.cohort(300, 1)
    values = np.array(["f", "m"])[np.arange(300) % 2] if kind == "groups" else np.arange(300.0)
    return fit_by_covariate(cohort, covariate=values, kind=kind, name="sex", n_bootstrap=20)


@cache
def _strata_elsewhere(watch):
    rule, (patients, grades) = _strata().freeze(), graded(2, 90, distance=1.5)
    names = np.array(rule.grades)[grades]
    return (monitor if watch else audit)(rule, patients, names)


OTHERS = {
    "strata": lambda: _strata().to_dict(),
    "groups": lambda: _covariate("groups").to_dict(),
    "smooth": lambda: _covariate("smooth").to_dict(),
    "monitor": samples.monitored,
    "monitor without labels": lambda: samples.monitored(labelled=False),
    "alarm": lambda: samples.monitored(moved=1.5),
    "plan": lambda: plan(risk=0.1, width=0.05).to_dict(),
    "what patients buy": lambda: plan(patients=92, instances=3, icc=0.2).to_dict(),
    "strata elsewhere": lambda: _strata_elsewhere(watch=False).to_dict(),
    "strata in use": lambda: _strata_elsewhere(watch=True).to_dict(),
}
