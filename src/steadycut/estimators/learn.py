"""All steps with a scorer that learns: from rows to a deployed scorer and its study."""

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores
from steadycut.core.split import Roles
from steadycut.errors import TooFewPatients
from steadycut.estimators.cross_fit import LEAST_FOLDS, Instances, Scorer
from steadycut.estimators.fingerprint import study_fingerprint
from steadycut.estimators.refit import Refit, RefitDraws
from steadycut.estimators.threads import one_thread
from steadycut.io.checkpoint import Checkpoint, open_checkpoint
from steadycut.study.choosing import Progress
from steadycut.study.fit import Study, run_study
from steadycut.study.options import Options
from steadycut.study.roles import check_both_classes, deal_roles


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Learned:
    """The deployed model, the study of its scores, and how many resampled cohorts were redrawn."""

    model: Any
    study: Study
    n_redrawn: int


def learn(
    scorer: Scorer,
    instances: Instances,
    cohort: PatientScores,
    options: Options,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Learned:
    """Deal roles, score all patients with models that did not see them, and run the study.

    ``cohort`` holds the patients of ``instances`` in the same order; its scores are not used.
    Finished refits are kept in ``folder`` and read from there.

    Notes
    -----
    Patients who choose are scored by cross-fitting among themselves. The deployed model learns
    from all of them and scores those who certify. So model and cut-off depend only on the patients
    who choose, and pointwise bounds hold for those who certify.
    """
    check_both_classes(cohort)
    roles = deal_roles(cohort, options)
    _check_select(roles)
    # A study with a fixed scorer uses the first two, for its split and its bootstrap.
    *_, seed = np.random.SeedSequence(options.seed).spawn(3)
    study_seed, refit_seed = seed.spawn(2)
    rng = np.random.default_rng(study_seed)
    kept: AbstractContextManager[Checkpoint | None] = nullcontext()
    if folder is not None:
        kept = open_checkpoint(folder, study_fingerprint(scorer, instances, cohort, options))
    with one_thread(), kept as checkpoint:
        scores, model = score_everybody(scorer, instances, roles, rng)
        select, search = roles.select, options.search
        draw = RefitDraws(
            refit=Refit(scorer=scorer, instances=instances, patients=select, search=search),
            scores=scores[select],
            seed=refit_seed,
            n_jobs=n_jobs,
            progress=progress,
            checkpoint=checkpoint,
        )
        study = run_study([replace(cohort, scores=scores)], options, draw=draw, roles=roles)
    return Learned(model=model, study=study, n_redrawn=draw.n_redrawn)


def score_everybody(
    scorer: Scorer, instances: Instances, roles: Roles, rng: np.random.Generator
) -> tuple[FloatArray, Any]:
    """Return scores from models that did not see the patient, and the deployed model."""
    scores = np.empty(roles.select.size + roles.certify.size)
    scores[roles.select] = scorer.cross_fit(instances, roles.select, rng)
    model = scorer.fit(instances, roles.select, rng)
    scores[roles.certify] = scorer.score(model, instances, roles.certify)
    return scores, model


def _check_select(roles: Roles) -> None:
    if roles.select.size < LEAST_FOLDS:
        raise TooFewPatients(
            f"a scorer needs at least {LEAST_FOLDS} patients used to choose; got "
            f"{roles.select.size} of {roles.select.size + roles.certify.size} patients. Make "
            "certify_size smaller."
        )
