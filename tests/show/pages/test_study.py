"""The page of a study."""

from steadycut import fit
from steadycut.core.rounding import of_hundred
from steadycut.documents.study import OptionsPart
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.study import further_options
from steadycut.show.render.markdown import markdown
from tests.show.figures import samples

USUAL = {
    "grid": "exact",
    "honesty": "split",
    "certify_size": 0.5,
    "stratified": False,
    "bound": "auto",
    "ensemble": "none",
    "delta": 0.1,
    "n_bootstrap": 200,
    "selector": "risk",
    "stratify": "none",
    "seed": 0,
}


def test_options_that_nobody_gave_are_not_listed():
    assert further_options(OptionsPart(**USUAL, delta_boot=0.2)) == []


def test_options_that_somebody_gave_are_listed():
    given = {"test_size": 0.25, "sites_certify": ["north", "west"], "cost_there": 0.2}
    assert further_options(OptionsPart(**USUAL, **given, prevalence_there=(0.1, 0.2))) == [
        ("size of the held-out part", "0.25"),
        ("sites that check the cut-off", "north, west"),
        ("prevalence at the next hospital", "0.1 to 0.2"),
        ("average cost to keep at a hospital", "0.2"),
    ]


def test_an_option_without_a_name_of_its_own_is_called_as_in_python():
    assert further_options(OptionsPart(**USUAL, small_cells=5)) == [("small cells", "5")]


def test_the_radius_is_that_of_the_delta_of_the_bootstrap():
    study = fit(samples.cohort(80, 3), instability={"delta_boot": 0.25}, n_bootstrap=20)
    page = markdown(page_of(study.describe()))
    assert "75 % of the resampled cut-offs are no further away" in page


def test_a_cost_that_was_asked_for_is_answered_beside_the_rates():
    cohort = samples.cohort(200, 3)
    asked = {"certify": "sensitivity:0.4,specificity:0.4", "certify_cost": 0.001}
    page = markdown(page_of(fit(cohort, honesty="uniform", n_bootstrap=20, **asked).describe()))
    assert "Average cost at most 0.001: not shown" in page
    assert "Specificity at least 0.40: shown" in page or "specificity at least 0.40: shown" in page
    assert "These do not show a cost as low as asked" in page
    alone = fit(cohort, n_bootstrap=20, certify_cost=0.9).describe()
    assert "As asked: yes. Average cost at most 0.9: shown" in markdown(page_of(alone))


def test_how_many_patients_two_studies_disagree_about_is_said_or_not_known():
    study = fit(samples.cohort(80, 3), n_bootstrap=20).describe()
    low, high = (f"{100 * end:.0f}" for end in study.disagreement.middle)
    share = of_hundred(study.disagreement.mean)
    said = (
        f"two studies of this size would disagree about {share} patients (mostly {low} to {high})"
    )
    assert said in markdown(page_of(study))
    older = study.model_copy(update={"disagreement": None})
    assert "how often two studies of this size would disagree is not" in markdown(page_of(older))
