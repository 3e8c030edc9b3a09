"""Choose one patient-level cut-off, bound how often it errs, and check it at the next hospital.

>>> import steadycut
>>> scores, labels = [0.1, 0.3, 0.2, 0.8, 0.7, 0.9], [0, 0, 0, 1, 1, 1]
>>> cohort = steadycut.PatientScores(scores=scores, labels=labels)
>>> study = steadycut.fit(cohort, honesty="uniform", rule="erm", grid="exact", bound="dkw")
>>> study.threshold, study.operating_value
(0.5, 0.7)

The folders, in the order in which they may import each other:

===============  =====================================================================
``_kinds``       every kind of frozen file: file, study, page and command of each
``errors``       everything that steadycut can refuse
``core``         the mathematics: numpy and scipy only
``io``           files, checkpoints, progress, optional packages
``ingest``       any table -> one score per patient
``documents``    the files that are written and read back, as typed records
``study``        the flow: fit, describe, freeze, compare, audit, monitor
``adaptation``   the cut-off for the next hospital, new versions, change control
``show``         pages and figures, as HTML, Markdown and on the terminal
``displays``     the figures, under a short name
``datasets``     simulated cohorts to try
``estimators``   the flow as scikit-learn estimators
``pipelines``    slides and ECG records -> tables of scores
``app``          the local page
``cli``          the commands
``rule_reader``  one standalone file that decides by a frozen file
===============  =====================================================================
"""

from steadycut._renderer import plug_in

# Each name is loaded when it is first used. So `import steadycut` is fast, nobody needs an
# optional package for what they do not use, and a command loads only what it needs. The names and
# their modules stand in ``__init__.pyi``, which type checkers read too.
_STUB = __loader__.get_data(f"{__file__.rpartition('.')[0]}.pyi").decode()
_LINES = [line.split() for line in _STUB.splitlines() if " as " in line]
_MODULE_OF = {words[-1]: words[1] for words in _LINES if words[0] == "from"}
# Whole modules: the figures, and what objects show of themselves in a notebook.
_MODULES = {"displays": "steadycut.displays", "notebook": "steadycut.show.render.notebook"}

# These may change in any version (SUPPORT.md); all other names are stable.
_EXPERIMENTAL = {"adapt", "fit_by_covariate", "fit_strata", "monitor", "switch"}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    # Here, because a command would not be ready for Ctrl-C while it is imported.
    from importlib import import_module
    from warnings import warn

    if name in _EXPERIMENTAL:
        unsure = import_module("steadycut.errors").ExperimentalWarning
        warn(f"steadycut.{name} is experimental: it may change in any version.", unsure, 2)
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'steadycut' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


plug_in(lambda: __getattr__("notebook"))
