"""What was typed, for the commands that a next step names.

A fact that is known is written as it can be typed; one that is not is a word in capitals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from shlex import join
from typing import Any

import numpy as np

from steadycut.cli.options import ColumnOptions, TableOptions
from steadycut.cli.rule_options import ExternalOptions, RuleColumns
from steadycut.core.records import Recipe
from steadycut.documents.frozen import FrozenFile, column_names
from steadycut.ingest import PatientTable
from steadycut.ingest.request import ROW, site_hash
from steadycut.io.log import this_run
from steadycut.show.words.next_step import COMMAND_LINE, FACTS, Spelling

NAME = "NAME"


def next_commands(
    places: Mapping[str, Path],
    out: Path | None,
    frozen: FrozenFile[Any] | None = None,
    table: PatientTable | None = None,
) -> Spelling:
    """Return how this run of a command spells the next one.

    ``places`` are where frozen files are, by their usual names; ``frozen`` is the one that the next
    command takes. ``table`` is what was read.
    """
    given = this_run().context.params
    tables, columns = typed(TableOptions), typed(RuleColumns) if "unseen" in given else []
    names = [] if table is None else sites_of(table)
    external = str(given.get("external") or NAME)
    one = ["--external", external if len(names) == 1 else NAME]
    picked = one if len(names) > 1 or given.get("external") else []
    facts = {
        "rule": [str(given["rule"])] if "unseen" in given else [],
        "here": [*tables, *columns, *typed(ExternalOptions)],
        "at": [*tables, *columns, *typed(ExternalOptions, without=("external",)), *picked],
        "new": [FACTS["new"], *columns, *typed(TableOptions, without=("tables",))],
    }
    if frozen is None and given.get("score"):
        facts["fit"] = [*tables, *typed(ColumnOptions), *named("site", given.get("site"))]
        facts["fit"] += named("internal", given.get("external") and external)
    elif frozen is not None and frozen.recipe.patient != ROW:
        site = given.get("site") or frozen.recipe.site
        facts["fit"] = [*tables, *recipe_options(frozen.recipe, given)]
        facts["fit"] += [*named("site", site), "--internal", one[1]] if picked and site else []
        elsewhere = () if table is None else table.elsewhere
        if any(site_hash(name) not in frozen.expected.sites for name in elsewhere):
            other = None if site == frozen.recipe.site else site
            facts["other"] = [*tables, *columns, *named("site", other), "--external", "others"]
    return replace(
        COMMAND_LINE,
        places={name: str(place) for name, place in places.items()},
        facts={name: join(words) for name, words in facts.items() if words},
        folder=None if out is None else str(out),
    )


def typed(group: type, without: Sequence[str] = ()) -> list[str]:
    """Return what was typed of a group of options, for another command."""
    context, words = this_run().context, list[str]()
    known = {part.name for part in fields(group)} - {*without}
    for param in sorted(context.command.params, key=lambda param: param.param_type_name):
        given = context.params.get(str(param.name))
        if param.name in known and given != param.get_default(context):
            flag = param.opts[:1] * (param.param_type_name == "option")
            values = given if isinstance(given, list | tuple) else [given]
            several = [str(text) for value in values for text in (*flag, value)]
            words += flag if given is True else several
    return words


def named(option: str, value: object) -> list[str]:
    """Return an option with its value, if there is one."""
    return [] if value is None else [f"--{option}", str(value)]


def sites_of(table: PatientTable) -> list[str]:
    """Return the sites of the patients that were read."""
    sites = next(iter(table.patients.values())).sites
    return [] if sites is None else np.unique(sites).tolist()


def recipe_options(recipe: Recipe, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of `fit` that make patients as a rule does, in the table at hand."""
    renamed = column_names(given.get("columns") or ())
    roles = {role: getattr(recipe, role) for role in ("patient", "score", "label", "time", "event")}
    for role, column in roles.items():
        there = given.get(role) or renamed.get(str(column), column)
        yield from named(role, there)
    yield from named("horizon", recipe.horizon)
    yield from named("positive", given.get("positive") or recipe.positive)
    yield from named("label-how", recipe.label_how)
    for column, how in recipe.levels:
        yield from named("level", f"{renamed.get(column, column)}:{how}")
    if recipe.how != "mean":
        yield from named("aggregate", recipe.how)
