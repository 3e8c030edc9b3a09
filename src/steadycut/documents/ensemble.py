"""The methods of an ensemble: whether one table can make them all, and which is which."""

from collections.abc import Sequence

import numpy as np

from steadycut.core.ensemble import Ensemble
from steadycut.core.records import PatientScores, Recipe
from steadycut.errors import BadPatients, BadRuleFile


def readable_recipes(ensemble: Ensemble) -> list[Recipe]:
    """Return the recipes of the methods, if one reading of a table can make them all."""
    recipes = [method.recipe for method in ensemble.methods]
    first, names = recipes[0], [recipe.name for recipe in recipes]
    for place, recipe in enumerate(recipes):
        if names[place] in names[:place]:
            msg = (
                f"an ensemble with two methods called '{names[place]}' cannot be frozen; give each "
                "score or aggregator its own name."
            )
            raise BadRuleFile(msg)
        if (recipe.patient, recipe.levels) != (first.patient, first.levels):
            msg = (
                f"an ensemble of methods with different levels cannot be frozen; '{names[0]}' and "
                f"'{names[place]}' differ. Aggregate all of them with the same levels."
            )
            raise BadRuleFile(msg)
    return recipes


def made_by(recipe: Recipe, several: Sequence[PatientScores]) -> PatientScores:
    """Return the one of several that was made as the recipe says."""
    for patients in several:
        if (patients.recipe.score, patients.recipe.chain) == (recipe.score, recipe.chain):
            return patients
    given = ", ".join(f"'{patients.recipe.name}'" for patients in several) or "nothing"
    msg = f"the rule needs '{recipe.name}' of every patient; got {given}. Aggregate it as well."
    raise BadPatients(msg)


def check_same_patients(several: Sequence[PatientScores]) -> None:
    """Refuse methods that are not about the same patients."""
    first = several[0]
    for other in several[1:]:
        same = first.n_patients == other.n_patients
        if same and first.patients is not None and other.patients is not None:
            same = np.array_equal(first.patients, other.patients)
        if not same:
            msg = (
                f"all methods must hold the same patients; '{first.recipe.name}' and "
                f"'{other.recipe.name}' differ. Make them from one table."
            )
            raise BadPatients(msg)
