"""The pages in a real browser."""

import json
import re
from functools import cache

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.intervals.rates import at_fixed_cut
from steadycut.core.records import Costs
from steadycut.core.rounding import at_most
from steadycut.show.pages.kinds import page_of
from steadycut.show.words.numbers import cut, percent, rate, risk
from steadycut.show.words.story import STORY
from tests.browser.waiting import check_colours, wait_until
from tests.cli.commands import write_rows
from tests.show.documents import document, render_document
from tests.show.figures import samples
from tests.show.other_kinds import OTHERS

SCRIPT = "<script>alert(1)</script>"
PAGES = {
    "study": lambda: render_document(document(samples.study()), document(samples.comparison())),
    "study, uniform": lambda: rendered(samples.study(honesty="uniform")),
    "few patients": lambda: rendered(samples.tied_study("le")),
    "audit": lambda: rendered(samples.labelled_audit()),
    "audit without labels": lambda: rendered(samples.unlabelled_audit()),
}
CONTENTS = {
    "split": samples.study,
    "uniform": lambda: samples.study(honesty="uniform"),
    "unequal costs": lambda: samples.study(cost_fn=5.0),
    "le": lambda: samples.tied_study("le"),
    "audit": samples.labelled_audit,
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder of the demo."""
    folder = tmp_path_factory.mktemp("demo") / "d"
    assert run(["demo", "--out", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("step", [None, *STORY], ids=lambda step: step and step.title)
def test_the_pages_of_the_demo_have_no_serious_fault(demo, page, step):
    page.goto((demo / "index.html").as_uri())
    if step is not None:
        page.get_by_role("link", name=step.title, exact=True).click()
        page.get_by_role("region", name="In short").wait_for()
    check_colours(page)
    page.set_viewport_size({"width": 390, "height": 800})
    wait_until(lambda: page.evaluate("document.documentElement.scrollWidth <= 390"), wanted=True)


@pytest.fixture
def visit(page, tmp_path):
    """Return a function that shows the text of a page as a reader first sees it."""

    def first_seen(text, anchor=""):
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        page.goto(f"{path.as_uri()}{anchor}")
        return page

    return first_seen


@pytest.fixture
def show(visit):
    """Return a function that shows the text of a page with all sections open."""

    def opened(text):
        page = visit(text)
        page.get_by_role("button", name="open all sections").click()
        return page

    return opened


def rendered(content):
    return drawn(json.dumps(content))


@cache
def drawn(text):
    """Figures take a while: a page is drawn once."""
    content = json.loads(text)
    return render_document(document(content))


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_no_serious_fault_of_accessibility_and_nothing_too_wide(show, make):
    page = show(make())
    check_colours(page)
    page.set_viewport_size({"width": 390, "height": 800})
    wait_until(lambda: page.evaluate("document.documentElement.scrollWidth <= 390"), wanted=True)


FIRST_SCREEN = {
    "study": samples.study,
    "study, uniform": lambda: samples.study(honesty="uniform"),
    "few patients": lambda: samples.tied_study("le"),
    "audit": samples.labelled_audit,
    "audit, unequal costs": lambda: samples.labelled_audit(cost_fn=5.0),
    "sites": samples.sites_audit,
}
CLOSED = FIRST_SCREEN | OTHERS | {"comparison": samples.comparison}


def text_above(page, height):
    """Return the text of everything in the page that ends above a height, line by line."""
    return page.evaluate(
        """(height) => [...document.querySelectorAll("h1, p, li, dd, td, text")]
            .filter((one) => one.checkVisibility())
            .filter((one) => one.getBoundingClientRect().bottom <= height)
            .map((one) => one.innerText ?? one.textContent).join("\\n")""",
        height,
    )


@pytest.mark.parametrize("make", FIRST_SCREEN.values(), ids=FIRST_SCREEN)
def test_ten_seconds_on_a_telephone(visit, make):
    content = make()
    page = visit(rendered(content))
    page.set_viewport_size({"width": 390, "height": 844})
    told = page_of(document(content))
    shown = [told.status.text, *(mark.text for mark in told.marks)]
    wait_until(lambda: text_above(page, 844), lambda text: all(part in text for part in shown))
    # The decision and its picture come first, then the next step, the numbers and the cut-off.
    point = content["operating_point"]
    shown = [f"{point['fn']} missed", f"{point['fp']} false alarms"]
    wait_until(lambda: text_above(page, 844), lambda text: all(part in text for part in shown))
    step = " ".join(told.plain_step.split())
    wait_until(lambda: text_above(page, 1150), lambda text: step in text)
    # Sensitivity and specificity in natural numbers.
    wait_until(lambda: text_above(page, 1400), re.compile(r"\d+ of \d+ ill").search)
    wait_until(lambda: text_above(page, 1900), lambda text: cut(content["threshold"]) in text)


@pytest.mark.parametrize("make", FIRST_SCREEN.values(), ids=FIRST_SCREEN)
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screen_has_a_picture_whose_texts_can_be_read(visit, make, width, height):
    page = visit(rendered(make()))
    page.set_viewport_size({"width": width, "height": height})
    picture = page.locator(".pictures svg").first
    box = wait_until(picture.bounding_box, bool)
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height
    texts = "[...document.querySelectorAll('.pictures text')]"
    heights = f"{texts}.map(text => text.getBoundingClientRect().height)"
    wait_until(lambda: page.evaluate(heights), lambda seen: round(min(seen), 3) >= 10)
    wait_until(page.locator(".pictures svg").count, 2)
    # Shell commands are folded away.
    wait_until(page.locator(".analyst p").first.is_visible, wanted=False)


def test_a_picture_is_on_paper_and_in_the_dark(visit):
    page = visit(rendered(samples.labelled_audit()))
    page.emulate_media(media="print")
    wait_until(page.locator(".pictures svg").first.is_visible, wanted=True)
    page.emulate_media(media="screen", color_scheme="dark")
    panel = "getComputedStyle(document.querySelector('.pictures .panel')).filter"
    wait_until(lambda: page.evaluate(panel), lambda style: "invert" in style)


@pytest.mark.parametrize("make", CLOSED.values(), ids=CLOSED)
def test_a_page_is_short_before_anything_is_opened(visit, make):
    page = visit(rendered(make()))
    page.set_viewport_size({"width": 1280, "height": 900})
    wait_until(lambda: page.evaluate("document.documentElement.scrollHeight <= 3500"), wanted=True)
    seen = wait_until(page.locator("body").inner_text, bool)
    assert not re.search(r"\b(R_Q|R_val|G_boot|Base|Augmented|[Mm]odulus)\b", seen)
    titles = [section.title for section in page_of(document(make())).sections]
    wait_until(lambda: visible_texts(page.locator("h2")), set(titles).issubset)


def visible_texts(located):
    return [one.inner_text() for one in located.all() if one.is_visible()]


def test_sections_open_by_keyboard_link_button_and_on_paper(visit):
    text = rendered(samples.study())
    page = visit(text, "#options")
    wait_until(lambda: open_sections(page), ["options"])
    page.locator("#certificate summary").press("Enter")
    wait_until(lambda: open_sections(page), ["certificate", "options"])
    button = page.get_by_role("button", name="open all sections")
    button.press("Enter")
    n_sections = wait_until(page.locator("main > section > details").count, bool)
    wait_until(lambda: len(open_sections(page)), n_sections)
    wait_until(lambda: button.get_attribute("aria-pressed"), "true")
    button.press("Enter")
    wait_until(lambda: open_sections(page), [])
    page.evaluate("location.hash = '#stability'")
    page.wait_for_function("document.querySelector('#stability details').open")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_until(lambda: len(open_sections(page)), n_sections)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    wait_until(lambda: open_sections(page), ["stability"])


def open_sections(page):
    return page.evaluate(
        "[...document.querySelectorAll('main > section > details[open]')]"
        ".map((one) => one.parentElement.id)"
    )


def test_a_failing_site_is_seen_without_opening_anything(visit):
    page = visit(rendered(samples.sites_audit()))
    wait_until(lambda: open_sections(page), ["groups"])
    wait_until(page.locator("#groups table").is_visible, wanted=True)


def numbers_shown(page):
    return page.evaluate(
        """() => Object.fromEntries(
            [...document.querySelectorAll("dd[id^=explored-]")]
                .map((one) => [one.id.replace("explored-", ""), one.textContent])
        )"""
    )


def wait_for_numbers(page, wanted):
    """Wait until these numbers are shown; return all that are."""
    return wait_until(lambda: numbers_shown(page), lambda seen: seen.items() >= wanted.items())


def numbers_of_core(content, at, cost_fn, cost_fp, prevalence):
    """What the core says where the explorer stands."""
    data = content["explorer"]
    missed, alarms = data["missed"][at], data["alarms"][at]
    n_positive, n_negative = data["n_positive"], data["n_negative"]
    counts = Confusion(tp=n_positive - missed, fn=missed, fp=alarms, tn=n_negative - alarms)
    costs = Costs(cost_fn=cost_fn, cost_fp=cost_fp, target=(prevalence, prevalence))
    uniform = data["bound"] == "class-wise-dkw"
    found = certificate_of(
        counts,
        costs,
        data["delta"],
        honesty="uniform" if uniform else "split",
        n_candidates=content["certificate"]["n_candidates"] if uniform else 1,
    )
    rates = at_fixed_cut(counts, costs, 0.05, 0)
    calls = prevalence * (1 - counts.miss_rate) + (1 - prevalence) * counts.alarm_rate
    grey = [data["grey_positive"][at] / n_positive, data["grey_negative"][at] / n_negative]
    return {
        "risk": risk(found.risk),
        "limit": at_most(found.value),
        "trivial": risk(found.trivial_risk),
        **{key: rate(rates[key].value) for key in ("sensitivity", "specificity", "ppv", "npv")},
        "calls": risk(100 * calls),
        "grey": percent(prevalence * grey[0] + (1 - prevalence) * grey[1]),
    }


def place(page, name, value):
    """Move a slider as a hand would."""
    page.evaluate(
        """([name, value]) => {
            const slider = document.getElementById(name);
            slider.value = value;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        [name, value],
    )


def type_number(page, name, value):
    page.locator(f"#explore-{name}-number").fill(str(value))
    page.locator(f"#explore-{name}-number").dispatch_event("change")


@pytest.mark.parametrize("make", CONTENTS.values(), ids=CONTENTS)
def test_the_explorer_shows_what_the_core_computes(show, make):
    content = make()
    page, data, costs = show(rendered(content)), content["explorer"], content["costs"]
    start = (data["frozen"], costs["cost_fn"], costs["cost_fp"], data["prevalence"])
    first = wait_for_numbers(page, numbers_of_core(content, *start))
    rng = np.random.default_rng(1)
    for _ in range(12):
        at = int(rng.integers(len(data["missed"])))
        cost_fn, cost_fp = (round(float(10 ** rng.uniform(-3, 3)), 4) for _ in range(2))
        typed = round(float(100 * rng.beta(0.5, 0.5)) % 99 + 0.01, 3)
        place(page, "explore-cut", at)
        type_number(page, "cost-fn", cost_fn)
        type_number(page, "cost-fp", cost_fp)
        type_number(page, "prevalence", typed)
        wanted = numbers_of_core(content, at, cost_fn, cost_fp, typed / 100)
        wait_for_numbers(page, wanted)
    page.get_by_role("button", name="back to the study").click()
    wait_until(lambda: numbers_shown(page), first)


def test_sliders_move_the_numbers_by_keyboard(show):
    content = samples.study()
    page = show(rendered(content))
    page.locator("#explore-cut").focus()
    page.keyboard.press("ArrowRight")
    frozen = content["explorer"]["frozen"]
    wanted = numbers_of_core(content, frozen + 1, 1.0, 1.0, content["explorer"]["prevalence"])
    wait_for_numbers(page, wanted)
    page.locator("#explore-prevalence").focus()
    page.keyboard.press("Home")
    wanted = numbers_of_core(content, frozen + 1, 1.0, 1.0, 1 / 200)
    wait_for_numbers(page, wanted)
    place(page, "explore-cost-fn", 8)
    wanted = numbers_of_core(content, frozen + 1, 3.0, 1.0, 1 / 200)
    wait_for_numbers(page, wanted)
    wait_until(page.locator("#explore-cost-fn-number").input_value, "3")


def test_only_the_frozen_cut_off_is_called_valid(show):
    content = samples.study()
    page = show(rendered(content))
    texts = [page.get_by_text(text) for text in ("Valid: this is the frozen", "Not a certif")]
    wait_until(lambda: [text.is_visible() for text in texts], [True, False])
    place(page, "explore-cut", content["explorer"]["frozen"] + 1)
    wait_until(lambda: [text.is_visible() for text in texts], [False, True])
    type_number(page, "cut", content["threshold"])
    wait_until(lambda: [text.is_visible() for text in texts], [True, False])


def test_a_number_that_makes_no_sense_changes_nothing(show):
    page = show(rendered(samples.study()))
    before = wait_until(lambda: numbers_shown(page), lambda seen: seen and all(seen.values()))
    for bad in ("0", "-1", "", "1e99"):
        for name in ("cost-fn", "prevalence"):
            type_number(page, name, bad)
        wait_until(page.locator("#explore-cost-fn-number").input_value, "1")
        wait_until(lambda: numbers_shown(page), before)


def saved(page, button):
    with page.expect_download() as started:
        button.click()
    return started.value.suggested_filename, started.value.path().read_bytes()


def test_files_are_handed_out_to_the_byte(show):
    content = samples.study() | {"score": f"a \\u003c & {SCRIPT}"}
    rule = samples.frozen_rule()
    content |= {"frozen_rule": rule.to_dict()}
    page = show(rendered(content))
    name, found = saved(page, page.get_by_role("button", name="study.json"))
    assert (name, json.loads(found)) == ("study.json", content)
    # In the order of the document.
    assert found.decode() == json.dumps(json.loads(found), indent=1, ensure_ascii=False) + "\n"
    name, found = saved(page, page.get_by_role("button", name="rule.json"))
    assert (name, found) == ("rule.json", rule.to_bytes())
    name, found = saved(page, page.get_by_role("button", name="study.csv"))
    lines = found.decode().splitlines()
    assert name == "study.csv"
    assert f"certificate.value,{content['certificate']['value']}" in lines


def test_every_table_can_be_saved(show):
    page = show(rendered(samples.study()))
    buttons = page.locator("button[data-action=table]")
    wait_until(buttons.count, wait_until(page.locator("table").count, bool))
    name, found = saved(page, buttons.first)
    assert re.fullmatch(r"[a-z0-9-]+\.csv", name)
    assert found.decode().splitlines()[0] == "term,value,what it is"


def test_no_cell_that_is_saved_is_a_formula(show):
    content = samples.study() | {"score": "=1+1"}
    content["candidates"][0]["score"] = "@SUM(A1)"
    page = show(rendered(content))
    _, found = saved(page, page.get_by_role("button", name="study.csv"))
    lines = found.decode().splitlines()
    assert {"score,'=1+1", "candidates.0.score,'@SUM(A1)"} <= set(lines)
    assert f"stability.bias,{content['stability']['bias']}" in lines
    _, found = saved(page, page.locator("#candidates button[data-action=table]").first)
    assert not re.search(r'^"?[=@]', found.decode(), re.MULTILINE)


def test_the_toggle_goes_to_the_other_colours(show):
    page = show(rendered(samples.study()))
    page.emulate_media(color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = wait_until(lambda: page.evaluate(colour), bool)
    page.get_by_role("button", name="light or dark").click()
    wait_until(lambda: page.evaluate(colour), lambda seen: seen != light)
    page.get_by_role("button", name="light or dark").click()
    wait_until(lambda: page.evaluate(colour), light)


@pytest.mark.parametrize("make", [samples.study, samples.labelled_audit])
def test_a_name_that_is_a_script_stays_text(show, page, make):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    content = make() | {"score": SCRIPT, "rule": SCRIPT}
    content["aggregation"][0]["level"] = SCRIPT
    for row in content.get("candidates", []):
        row["score"] = SCRIPT
    if "candidates" in content:
        content["stability"]["warnings"] = [SCRIPT]
        content["next_site"] = samples.sites_study()["next_site"]
        for row in content["next_site"]["rows"]:
            row["site"] = SCRIPT
        content["next_site"]["worst"]["site"] = SCRIPT
    show(rendered(content))
    page.locator("#explore-cut").press("ArrowLeft")
    wait_until(page.locator("h1").inner_text, lambda text: SCRIPT in text)
    assert asked == []


def test_names_in_a_table_stay_text_all_the_way(page, tmp_path):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    header = [f"{SCRIPT}{name}" for name in ("site", "patient", "slide", "score", "label")]
    rows = [
        [
            SCRIPT if i % 3 else "b",
            f"{SCRIPT}{i}",
            SCRIPT,
            i % 7 + 5 * (i % 2),
            [SCRIPT, "no"][i % 2],
        ]
        for i in range(60)
    ]
    table = write_rows(tmp_path / "table.csv", rows, header)
    named = zip(["site", "patient", "level", "score", "label"], header, strict=True)
    options = [
        part
        for name, column in named
        for part in (f"--{name}", f"{column}:max" if name == "level" else column)
    ]
    out = tmp_path / "study"
    code = run(["fit", str(table), *options, "--positive", SCRIPT, "--out", str(out)])
    assert code == 0
    page.goto((out / "report.html").as_uri())
    page.get_by_role("button", name="open all sections").click()
    page.locator("#explore-cut").press("ArrowLeft")
    wait_until(page.locator("h1").inner_text, lambda text: header[3] in text)
    wait_until(page.locator("#next-site table").inner_text, lambda text: SCRIPT in text)
    # No patient is in the page.
    assert "script&gt;59" not in (out / "report.html").read_text(encoding="utf-8")
    assert asked == []
