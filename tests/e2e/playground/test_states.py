"""Each state of the page, with a worker that answers at once: no old result remains on the page."""

from collections.abc import Iterator

import pytest

from . import pictures
from .browser import Browser
from .conftest import ROOT, Site

WORKER = (ROOT / "tests" / "e2e" / "playground" / "fake_worker.js").read_text()
RECORDED = "inject, with 20 patch operations"  # of the first example
VERDICT = "document.getElementById('word').textContent"
BODY = "document.getElementById('body').innerText"


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Browser]:
    open_page(browser, site)
    yield browser
    browser.do("goto", url="about:blank")


def open_page(browser: Browser, site: Site, mode: str = "ready", fragment: str = "") -> None:
    worker = WORKER.replace("@MODE@", mode)
    browser.do("goto", url=f"{site.url}{fragment}", worker=worker)
    if mode == "ready":
        browser.do("settle")


def edit(page: Browser, word: str) -> None:
    pod = page.value("#pod").split("# ")[0]
    page.do("fill", selector="#pod", value=f"{pod}# {word}\n")


def wait_for_verdict(page: Browser, word: str) -> None:
    page.do("waitFor", expression=f"{VERDICT} === '{word}'")


def test_the_recorded_result_is_there_before_any_script(site: Site) -> None:
    index = (ROOT / "build" / "playground" / "index.html").read_text()

    assert '<span id="word">Injected</span>' in index
    assert "no earlier check stops the pod" in index
    assert site.url


def test_while_python_loads_the_recorded_result_is_marked(browser: Browser, site: Site) -> None:
    open_page(browser, site, "loading")
    browser.do("waitFor", expression="document.getElementById('progress').value > 40")

    assert browser.text("#word") == "Injected"
    assert RECORDED in browser.evaluate(BODY)
    assert browser.evaluate("document.getElementById('recorded').offsetParent !== null")
    assert "42 %" in browser.text("#load-text") or "43 %" in browser.text("#load-text")

    browser.do("fill", selector="#pod", value=browser.value("#pod") + "# edit\n")
    wait_for_verdict(browser, "Waiting for Python")
    assert browser.evaluate("document.getElementById('body').classList.contains('busy')")


def test_progress_never_goes_back(browser: Browser, site: Site) -> None:
    open_page(browser, site, "loading")
    browser.do("waitFor", expression="document.getElementById('progress').value > 40")

    assert browser.evaluate("document.getElementById('progress').value") in {42, 43}


def test_the_recorded_result_remains_after_a_failed_start(browser: Browser, site: Site) -> None:
    open_page(browser, site, "fatal")
    wait_for_verdict(browser, "podgraft does not start")

    assert "WebAssembly is disabled" in browser.text("#reason")
    assert RECORDED in browser.evaluate(BODY)


def test_a_page_without_its_examples_reports_it(browser: Browser, site: Site) -> None:
    browser.do("goto", url=site.url, missing="examples.json")
    wait_for_verdict(browser, "podgraft does not start")

    assert "reload the page" in browser.text("#reason")


def test_without_scripts_the_page_states_what_it_needs(browser: Browser, site: Site) -> None:
    browser.do("goto", url=site.url, options={"javaScriptEnabled": False})
    lines = browser.evaluate("document.querySelector('noscript').innerText").splitlines()

    assert [line.startswith("This page runs podgraft") for line in lines] == [True]


def test_an_edited_input_remains_after_a_reload(page: Browser, site: Site) -> None:
    open_page(page, site)
    edit(page, "mine")
    page.do("settle", after=1)
    page.do("visit", url=site.url)
    page.do("settle")
    assert page.value("#pod").endswith("# mine\n")

    page.after("click", selector="#reset")
    page.do("visit", url=site.url)
    page.do("settle")
    assert "# mine" not in page.value("#pod")
    assert page.evaluate("document.getElementById('reset').hidden")


def test_an_evaluation_marks_the_result_as_old(page: Browser, site: Site) -> None:
    open_page(page, site)
    assert RECORDED in page.evaluate(BODY)
    edit(page, "wait")
    wait_for_verdict(page, "Evaluating…")

    assert page.evaluate("document.getElementById('body').getAttribute('aria-busy')") == "true"
    wait_for_verdict(page, "Still evaluating")
    page.do("click", selector="#stop")
    wait_for_verdict(page, "Stopped")
    assert RECORDED not in page.evaluate(BODY)
    assert "Evaluate again" in page.evaluate(BODY)


@pytest.mark.parametrize(
    ("word", "verdict", "text"),
    [
        ("fail", "podgraft failed", "AttributeError: module 'msgspec'"),
        ("unknown", "Unknown", "This step needs the command line."),
    ],
)
def test_without_a_result_the_old_one_leaves_the_page(
    page: Browser, site: Site, word: str, verdict: str, text: str
) -> None:
    open_page(page, site)
    assert RECORDED in page.evaluate(BODY)
    edit(page, word)
    wait_for_verdict(page, verdict)

    assert text in page.evaluate(BODY)
    assert RECORDED not in page.evaluate("document.body.textContent")
    assert page.text("#text") == ""
    assert page.text("#facts") == ""


def test_a_result_that_differs_from_the_recorded_one_is_an_error(
    browser: Browser, site: Site
) -> None:
    worker = WORKER.replace("@MODE@", "ready").replace('"# other"', '"kind: Pod"')
    browser.do("goto", url=site.url, worker=worker)
    wait_for_verdict(browser, "podgraft failed")

    assert "differs from the recorded one" in browser.evaluate(BODY)


def test_a_link_has_no_recorded_result(page: Browser, site: Site) -> None:
    open_page(page, site)
    page.do("fill", selector="#pod", value="kind: Pod # wait\n")
    page.do("click", selector="#share")
    page.do("waitFor", expression="window.copied.length === 1")
    link = page.evaluate("window.copied[0]")
    open_page(page, site, "loading", link.removeprefix(site.url))
    wait_for_verdict(page, "Loading…")

    assert RECORDED not in page.evaluate("document.body.textContent")
    assert page.evaluate("document.querySelectorAll('.placeholder li').length") == 5


@pytest.mark.parametrize("width", [390, 1280])
def test_the_verdict_is_first_and_always_visible(page: Browser, site: Site, width: int) -> None:
    open_page(page, site)
    page.do("viewport", width=width, height=844, scheme="light")
    bottom = "document.getElementById('facts').getBoundingClientRect().bottom"
    assert page.evaluate(bottom) < (844 if width < 860 else 260)

    page.evaluate(
        "(() => { const r = document.getElementById('result');"
        "r.scrollTop = 1e6; scrollTo(0, 1e6); })()"
    )
    box = page.evaluate("document.getElementById('word').getBoundingClientRect().toJSON()")
    assert 0 <= box["top"] < 200
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_the_verdict_is_above_the_input(page: Browser, site: Site) -> None:
    open_page(page, site)
    page.do("viewport", width=390, height=844, scheme="light")
    order = page.evaluate(
        "['verdict', 'views', 'input', 'result'].map((id) => document.getElementById(id))"
        ".every((e, i, a) => !i || a[i - 1].compareDocumentPosition(e) & 4)"
    )
    page.do("click", selector="#view-input")

    assert order
    assert page.evaluate("document.getElementById('pod').offsetParent !== null")
    assert page.evaluate("document.getElementById('word').offsetParent !== null")
    assert page.evaluate("document.getElementById('body').offsetParent === null")


def test_an_edit_does_not_close_groups(page: Browser, site: Site) -> None:
    open_page(page, site)
    page.evaluate("document.querySelectorAll('.group')[1].open = true")
    page.evaluate("document.querySelectorAll('.name button')[3].click()")
    page.after("fill", selector="#pod", value=page.value("#pod") + "# edit\n")

    assert page.evaluate("document.querySelectorAll('.group')[1].open")
    assert page.evaluate("document.querySelectorAll('.path .input').length") == 1


def test_the_dividers_move_by_the_keyboard(page: Browser, site: Site) -> None:
    open_page(page, site)
    before = page.evaluate("document.getElementById('input').offsetWidth")
    page.evaluate("document.getElementById('divider-input').focus()")
    page.do("press", keys=["ArrowRight", "ArrowRight"])
    assert page.evaluate("document.getElementById('input').offsetWidth") == before + 32
    page.do("press", keys=["Home"])
    assert page.evaluate("document.getElementById('input').offsetWidth") == 120


def test_the_color_scheme_is_that_of_the_system_or_the_choice(page: Browser, site: Site) -> None:
    open_page(page, site)
    theme = "document.documentElement.dataset.theme"
    page.do("viewport", width=1280, height=900, scheme="dark")
    page.do("waitFor", expression=f"{theme} === 'dark'")
    page.do("click", selector="#scheme")
    assert page.evaluate(theme) == "light"
    page.evaluate("localStorage.clear()")


def test_what_is_selected_differs_in_forced_colors(browser: Browser, site: Site) -> None:
    worker = WORKER.replace("@MODE@", "ready")
    browser.do("goto", url=site.url, worker=worker, options={"forcedColors": "active"})
    browser.do("settle")
    # A browser paints other backgrounds as that of the page; their computed style stays.
    style = "getComputedStyle(document.querySelectorAll('{} button')[{}]{})"
    for selector, part in (("#inputs", ""), ("#input-tabs", ", '::after'")):
        selected, other = (style.format(selector, index, part) for index in (0, 1))
        assert browser.evaluate(f"{selected}.forcedColorAdjust") == "none", selector
        differs = f"{selected}.backgroundColor !== {other}.backgroundColor"
        assert browser.evaluate(differs), selector


def test_both_objects_are_side_by_side(page: Browser, site: Site) -> None:
    open_page(page, site)
    page.do("viewport", width=1280, height=900, scheme="light")
    page.do("click", selector=".view-sides")
    row = "[...document.querySelectorAll('.sides:has(.del)')].map((r) => r.innerText.split('\\n'))"
    removed = page.evaluate(row)[0]

    assert [part for part in map(str.strip, removed) if part] == [
        "−", 'prometheus.io/port: "9102"', "+", 'prometheus.io/port: "15020"', "podgraft",
    ]  # fmt: skip
    assert page.do("axe")["violations"] == []
    page.do("click", selector=".view-groups")
    assert page.evaluate("document.querySelectorAll('.group').length") > 4


@pytest.mark.parametrize("scheme", pictures.SCHEMES)
@pytest.mark.parametrize("width", pictures.WIDTHS)
def test_the_page_is_as_its_picture(page: Browser, site: Site, width: int, scheme: str) -> None:
    pictures.require_fonts()
    open_page(page, site)
    page.do("viewport", width=width, height=pictures.WIDTHS[width], scheme=scheme)
    page.do("waitFor", expression=f"document.documentElement.dataset.theme === '{scheme}'")

    pictures.compare(page, f"playground-{width}-{scheme}")


def test_a_template_line_is_as_its_picture(page: Browser, site: Site) -> None:
    pictures.require_fonts()
    open_page(page, site)
    page.do("viewport", width=1280, height=900, scheme="light")
    page.evaluate("document.querySelectorAll('.group summary')[1].click()")
    page.evaluate("document.querySelectorAll('.group .origin')[2].click()")
    page.evaluate("document.getElementById('changes').scrollIntoView()")

    pictures.compare(page, "playground-source-1280-light")
