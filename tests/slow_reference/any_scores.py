"""Studies of any scores: `steadycut.fit` refuses scores that are all equal."""

from steadycut.study.fit import as_candidates, run_study
from steadycut.study.options import study_options


def fit(patients, **options):
    """Do what `steadycut.fit` does, also where all scores are equal."""
    return run_study(as_candidates(patients), study_options(**options))
