"""The playground in Chromium: its text is the command line's, and nothing leaves the page."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playground_build.examples import read_examples
from support import playground_test_cases as test_cases

from .browser import Browser
from .conftest import ROOT, Site

EXAMPLES = read_examples(ROOT)
INPUTS = [(name, pod) for name, example in EXAMPLES.items() for pod in example["pods"]]
MAX_TRANSFER = 6_000_000
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
SHOTS = ROOT / "docs" / "images"
# The screenshots that the pages of docs/ show; PODGRAFT_SCREENSHOTS=1 takes them again.
SHOWN = {("why", "wide", "light"), ("after", "wide", "dark"), ("why", "phone", "dark")}


def run_cli(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "podgraft", "explain", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def write_input(folder: Path, example: dict[str, Any], pod: str, policy: str) -> None:
    (folder / "bundle").mkdir(parents=True)
    (folder / "pod.yaml").write_text(pod)
    (folder / "policy.yaml").write_text(policy)
    for name, text in example["files"].items():
        path = folder / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Browser:
    """The page after its first result."""
    browser.do("open", url=site.url)
    return browser


def reset(page: Browser) -> None:
    """Show the first example again, without another load of the page."""
    page.evaluate("document.querySelector('dialog').close()")
    page.evaluate("document.querySelector('#open-steps[aria-pressed=true]')?.click()")
    for tab in ("pod", "why"):
        page.do("click", selector=f"#tab-{tab}")
    choose(page, "allow")
    choose(page, "istio")


def choose(page: Browser, name: str, pod: str | None = None) -> None:
    page.after("select", selector="#example", value=name)
    if pod is not None and page.value("#input-name") != pod:
        page.after("select", selector="#input-name", value=pod)
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")


def open_file(page: Browser, name: str) -> None:
    """Select the tab of a file of the bundle."""
    page.evaluate(
        "[...document.querySelectorAll('#file-tabs [role=tab]')]"
        f".find((tab) => tab.textContent === {json.dumps(name)}).click()"
    )


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=[f"{n}/{p}" for n, p in INPUTS])
def test_the_text_of_each_input_is_the_command_lines(
    page: Browser, tmp_path: Path, name: str, pod: str
) -> None:
    example = EXAMPLES[name]
    write_input(tmp_path, example, example["pods"][pod], example["policy"])
    expected = run_cli(tmp_path, "-f", "pod.yaml", "--bundle", "bundle", "--policy", "policy.yaml")

    choose(page, name, pod)

    assert page.text("#text") == expected.stdout
    assert page.text("#time").endswith(f"exit status {expected.returncode}")
    problems = page.text("#panel-problems")
    assert problems == (expected.stderr or "No errors and no warnings.")


def test_all_24_rows_of_the_table_are_the_command_lines(page: Browser, tmp_path: Path) -> None:
    example = EXAMPLES["selective-injection"]
    choose(page, "selective-injection")
    page.do("waitFor", expression="document.querySelectorAll('#matrix tbody tr').length === 24")
    for number in range(24):
        results = page.evaluate(
            f"[...document.querySelectorAll('#matrix tbody tr')[{number}].cells]"
            ".map((cell) => cell.innerText)"
        )
        target = "button" if number % 2 else "td"
        page.after("click", selector=f"#matrix tbody tr:nth-child({number + 1}) {target}")
        folder = tmp_path / str(number)
        write_input(folder, example, page.value("#pod"), page.value("#policy"))
        expected = run_cli(
            folder, "-f", "pod.yaml", "--bundle", "bundle", "--policy", "policy.yaml"
        )

        assert page.text("#text") == expected.stdout
        assert ("✓" in results[4]) is (expected.returncode == 0), results


def test_a_share_link_restores_the_input(page: Browser, site: Site) -> None:
    choose(page, "istio", "web")
    pod = page.value("#pod") + "# äöü 漢字 \U0001f600\n"
    page.after("fill", selector="#pod", value=pod)
    page.after("fill", selector="#namespace-labels", value="istio-injection=enabled")
    text = page.text("#text")
    page.do("click", selector="#share")
    page.do("waitFor", expression="document.getElementById('dialog').open")
    link = page.value("#dialog-value")

    page.do("open", url=link)

    assert link.startswith(f"{site.url}#1.")
    assert page.value("#pod") == pod
    assert page.value("#namespace-labels") == "istio-injection=enabled"
    assert page.text("#text") == text
    assert "from a link" in page.text("#note")


@pytest.mark.parametrize("fragment", ["1.", "1.AAAA", "2.AAAA", "x", "1.%00", "1." + "A" * 200_000])
def test_a_damaged_link_is_reported(page: Browser, fragment: str) -> None:
    count = page.do("answers")["count"]
    page.evaluate(f"void (location.hash = {json.dumps(fragment)})")
    page.do("settle", after=count)

    assert "link" in page.text("#note")
    assert "web" in page.text("#text")


def test_a_link_cannot_inflate_without_limit(page: Browser) -> None:
    bomb = page.evaluate(
        "(async () => { const s = new Blob(['\"' + 'a'.repeat(64e6) + '\"']).stream()"
        ".pipeThrough(new CompressionStream('deflate-raw'));"
        "const b = new Uint8Array(await new Response(s).arrayBuffer()); let t = '';"
        "for (const x of b) t += String.fromCharCode(x);"
        "return btoa(t).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''); })()"
    )

    count = page.do("answers")["count"]
    page.evaluate(f"void (location.hash = '1.{bomb}')")
    page.do("settle", after=count)

    assert "more than 3 MiB" in page.text("#note")


def test_no_request_follows_the_first_result_and_none_leaves_the_origin(
    browser: Browser, site: Site
) -> None:
    site.requests.clear()
    browser.do("open", url=site.url)
    transferred = sum(size for _, size in site.requests)
    count = len(site.requests)
    seen = len(browser.do("requests")["requests"])

    choose(browser, "logging")
    browser.after(
        "fill", selector="#pod", value=browser.value("#pod") + "# https://example.com/x.png\n"
    )
    browser.do("click", selector="#tab-after")
    browser.do("click", selector="#command")
    browser.do("press", keys=["Escape"])
    observed = browser.do("requests")

    assert transferred < MAX_TRANSFER
    # Chromium may check for a new service worker at any time after a visit; it sends no content.
    assert {path for path, _ in site.requests[count:]} <= {"/sw.js"}
    assert len(observed["requests"]) == seen
    assert all(url.startswith((site.url, "data:,")) for url in observed["requests"])
    assert observed["problems"] == []


# Milliseconds from a change of the pod to the result for it, as the page shows it.
EDIT = """
(async (index) => {
  const area = document.getElementById("pod");
  const shown = Number(document.body.dataset.shown);
  const start = performance.now();
  area.value = `${area.value.split("# edit")[0]}# edit ${index}\\n`;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  while (Number(document.body.dataset.shown) === shown) await new Promise(requestAnimationFrame);
  return performance.now() - start;
})
"""


def test_durations_are_measured(browser: Browser, site: Site) -> None:
    """The file of durations has no limits: they depend on what else the machine does."""
    durations: dict[str, list[float]] = {"first visit": [], "later visit": [], "edit": []}
    for _ in range(3):
        durations["first visit"].append(browser.do("open", url=site.url)["milliseconds"])
        durations["later visit"].append(browser.do("open", url=site.url, keep=True)["milliseconds"])
    for index in range(10):
        durations["edit"].append(browser.evaluate(f"{EDIT}({index})"))
        browser.do("waitFor", expression="document.body.dataset.state === 'idle'")
    (ROOT / "build" / "playground-durations.json").write_text(json.dumps(durations, indent=2))

    assert "edit 9" in browser.value("#pod")
    assert browser.text("#verdict").startswith("injected")


def test_a_second_visit_transfers_only_the_check_for_a_new_build(
    browser: Browser, site: Site
) -> None:
    browser.do("open", url=site.url)
    site.requests.clear()
    browser.do("open", url=site.url, keep=True)

    assert {path for path, _ in site.requests} <= {"/sw.js"}


def test_the_worker_cannot_reach_the_network(page: Browser, site: Site) -> None:
    """The policy forbids other origins, in the page and in its workers."""
    page.do("open", url=site.url)
    blocked = page.evaluate(
        "fetch('http://127.0.0.1:1/').then(() => 'sent', (error) => String(error))"
    )

    assert "sent" not in blocked
    worker = page.evaluate(
        "(async () => (await fetch(performance.getEntriesByType('resource')"
        ".find(e => e.name.endsWith('app.js')).name.replace('app.js', 'worker.js')))"
        ".headers.get('content-security-policy'))()"
    )
    assert "connect-src 'self'" in worker


@pytest.mark.parametrize("field", ["#pod", "#policy", "#webhooks", "#namespace", "#bundle"])
def test_markup_in_an_input_stays_text(page: Browser, field: str) -> None:
    reset(page)
    if field == "#bundle":
        page.do("click", selector="#tab-bundle")
    elif field in {"#policy", "#webhooks"}:
        page.do("click", selector=f"#tab-{field[1:]}")
    value = HOSTILE
    if field == "#pod":
        value = page.value("#pod").replace("registry.example.com", HOSTILE.replace('"', "'"))
    page.after("fill", selector=field, value=value)

    assert page.evaluate("document.title") == "podgraft playground"
    assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BOMB, id="aliases"),
        pytest.param("[" * 100_000, id="flow-lists"),
        pytest.param("{" * 5_000, id="flow-maps"),
        pytest.param("- " * 20_000, id="lists"),
        pytest.param("\ta: b", id="tabs"),
        pytest.param("x" * 4_000_000, id="size"),
        pytest.param("a: \ud800", id="surrogate"),
    ],
)
def test_a_hostile_input_is_an_error_and_the_page_goes_on(page: Browser, text: str) -> None:
    reset(page)
    expected = page.text("#text")
    pod = page.value("#pod")
    count = page.do("answers")["count"]
    page.evaluate(
        "(() => { const area = document.getElementById('pod'); area.value = "
        + json.dumps(text)
        + "; area.dispatchEvent(new Event('input')); })()"
    )
    page.do("settle", after=count)

    assert page.text("#verdict").startswith(("failed:", "The evaluation failed:"))

    page.after("fill", selector="#pod", value=pod)
    assert page.text("#text") == expected


# The worker gets a request that fails in Python.
BREAK = """
(() => {
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) {
    Worker.prototype.postMessage = send;
    send.call(this, { ...message, text: "{}" });
  };
})()
"""
RESULTS = ("#text", "#panel-why", "#panel-after", "#panel-patch", "#panel-response", "#time")


def test_a_failure_clears_the_result_of_the_input_before(page: Browser) -> None:
    reset(page)
    pod, expected = page.value("#pod"), page.text("#text")
    assert all(page.text(selector) for selector in RESULTS)

    page.evaluate(BREAK)
    page.after("fill", selector="#pod", value=f"{pod}# edit\n")

    assert page.text("#verdict") == "The evaluation failed: KeyError: 'do'"
    assert [page.text(selector) for selector in RESULTS] == [""] * len(RESULTS)
    assert page.text("#panel-problems") == "error: KeyError: 'do'\n"

    page.after("fill", selector="#pod", value=pod)
    assert page.text("#text") == expected


def test_each_edit_of_an_input_is_evaluated(page: Browser) -> None:
    """Some checks of the engine use other code from the fifth review of a process."""
    reset(page)
    pod, expected = page.value("#pod"), page.text("#text")
    for number in range(6):
        page.after("fill", selector="#pod", value=f"{pod}# edit {number}\n")
        assert page.text("#text") == expected


def start_endless_evaluation(page: Browser) -> None:
    """Replace the template of an overlay by nested loops."""
    page.do("click", selector="#tab-bundle")
    head, _, _ = page.value("#bundle").partition("  template: |")
    loop = "".join("{{ range until 9999 }}" for _ in range(6)) + "{{ end }}" * 6
    page.do("fill", selector="#bundle", value=f"{head}  template: |\n    {loop}\n")
    page.do("waitFor", expression="document.body.dataset.state === 'running'")


def test_stop_ends_a_long_evaluation(page: Browser) -> None:
    reset(page)
    choose(page, "logging")
    page.do("click", selector="#tab-bundle")
    overlay = page.value("#bundle")
    start_endless_evaluation(page)
    page.do("click", selector="#stop")
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")
    page.after("fill", selector="#bundle", value=overlay)

    assert "injected" in page.text("#verdict")


@pytest.mark.parametrize(
    ("name", "file", "text", "replacement"),
    [
        (
            "require-limits",
            "require-limits.yaml",
            "size(variables.withoutRequest) == 0",
            "size(variables.withoutRequest) < 1",
        ),
        ("image-mirror", "overlay.yaml", 'regexFind "^[^/]+"', 'regexFind "(?i)^[^/]+"'),
    ],
)
def test_an_expression_that_the_browser_cannot_evaluate_has_no_result(
    page: Browser, name: str, file: str, text: str, replacement: str
) -> None:
    reset(page)
    choose(page, name)
    page.do("click", selector="#tab-bundle")
    open_file(page, file)
    assert text in page.value("#bundle")
    page.after("fill", selector="#bundle", value=page.value("#bundle").replace(text, replacement))

    assert page.text("#verdict") == "unknown: not evaluated here"
    expression = replacement.removeprefix('regexFind "').removesuffix('"')
    assert expression in page.text("#unsupported")
    assert page.text("#text") == ""
    assert page.evaluate("document.querySelectorAll('#panel-why li, .diff tr').length") == 0

    page.do("click", selector="#test-case")
    page.do("waitFor", expression="document.getElementById('note').textContent !== ''")
    assert "no test case" in page.text("#note")


def test_a_line_of_the_sidecar_leads_to_its_template_line(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#tab-after")
    page.do("waitFor", expression="document.querySelectorAll('.origin').length > 50")
    page.evaluate(
        "[...document.querySelectorAll('.diff tr')].find((row) => "
        "row.innerText.includes('name: istio-proxy')).querySelector('.origin').click()"
    )

    assert "name: istio-proxy" in page.text("#source mark")
    assert "bundle/injector.yaml line" in page.text("#source h3")

    page.do("click", selector="#source button")
    selected = page.evaluate(
        "(() => { const a = document.getElementById('bundle');"
        "return a.value.slice(a.selectionStart, a.selectionEnd); })()"
    )
    assert selected.strip() == "- name: istio-proxy"


@pytest.mark.parametrize(
    ("name", "line", "template"),
    [
        ("logging", "name: log-shipper", "overlay logging"),
        ("vault-agent", "name: secrets-init", "overlay secrets"),
        ("appmesh", "name: envoy", "mesh shop"),
    ],
)
def test_an_added_line_names_its_template(
    page: Browser, name: str, line: str, template: str
) -> None:
    reset(page)
    choose(page, name)
    page.do("click", selector="#tab-after")
    page.do("waitFor", expression="document.body.dataset.origins === 'shown'")
    label = page.evaluate(
        "[...document.querySelectorAll('.diff tr.added')].find((row) => "
        f"row.querySelector('.after').innerText.trim().endsWith('- {line}'))"
        ".querySelector('.by').innerText"
    )

    assert label.startswith(f"{template}:")


def test_the_copied_command_prints_the_text_of_the_page(page: Browser, tmp_path: Path) -> None:
    reset(page)
    page.after("fill", selector="#namespace", value="it's a test")
    page.do("click", selector="#command")
    page.do("waitFor", expression="document.getElementById('dialog').open")
    command = page.value("#dialog-value")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert result.stdout == page.text("#text")


@pytest.mark.parametrize(
    ("name", "pod"), [("istio", "web"), ("allow", "refused"), ("selective-injection", "web")]
)
def test_the_copied_test_case_holds_for_the_command_line(
    page: Browser, tmp_path: Path, name: str, pod: str
) -> None:
    reset(page)
    choose(page, name, pod)
    page.after("fill", selector="#namespace", value="test")
    page.do("click", selector="#test-case")
    page.do("waitFor", expression="document.getElementById('dialog').open")
    script = page.value("#dialog-value")
    page.do("press", keys=["Escape"])
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)

    assert test_cases.find_differences(tmp_path) == []


def test_the_decision_names_what_each_step_reads(page: Browser) -> None:
    reset(page)
    steps = page.evaluate(
        "[...document.querySelectorAll('#panel-why li')].map((step) => Object.fromEntries("
        "[...step.querySelectorAll('dt')].map((term) =>"
        " [term.textContent, term.nextElementSibling.textContent])))"
    )
    never = next(step for step in steps if step["asked"] == "Does a selector exclude the pod?")

    assert all(step["asked"] for step in steps)
    assert never["in the configuration"] == "neverInjectSelector 1: batch.kubernetes.io/job-name"
    assert "app: web" in never["in the pod"]
    assert never["observed"] == "none of 1 matches"
    assert never["effect"] == "· continues"
    opened = "[...document.querySelectorAll('details.step')].map((step) => step.open)"
    assert page.evaluate(opened).count(True) == 1
    page.do("click", selector="#open-steps")
    assert all(page.evaluate(opened))


def test_every_file_of_the_bundle_has_a_tab(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#tab-bundle")
    for name, text in EXAMPLES["istio"]["files"].items():
        open_file(page, name)
        assert page.value("#bundle") == text
    names = page.evaluate(
        "[...document.querySelectorAll('#file-tabs > *')].map(t => t.textContent)"
    )
    assert names == [*EXAMPLES["istio"]["files"]]

    page.evaluate("document.querySelector('#file-tabs [aria-selected=true]').focus()")
    page.do("press", keys=["Home"])
    assert page.value("#bundle") == EXAMPLES["istio"]["files"][names[0]]
    assert page.evaluate("document.activeElement.textContent") == names[0]


def test_typing_is_possible_during_an_evaluation(page: Browser) -> None:
    reset(page)
    choose(page, "logging")
    start_endless_evaluation(page)
    page.evaluate("document.getElementById('namespace').focus()")
    page.do("press", keys=[*"abc"])

    assert page.value("#namespace") == "abc"
    assert page.evaluate("document.body.dataset.state") == "running"
    page.do("click", selector="#stop")
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")


def test_the_page_states_what_it_does_not_evaluate(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#limits summary")
    text = page.evaluate("document.getElementById('limits').innerText")

    assert "CEL expressions that are not part of an example" in text
    assert "RE2" in text
    assert "libyaml" in text


def test_every_control_is_reached_by_the_keyboard(page: Browser) -> None:
    reset(page)
    reached: set[str] = set()
    for _ in range(60):
        page.do("press", keys=["Tab"])
        reached.add(page.evaluate("document.activeElement.id"))
    page.evaluate("document.getElementById('tab-why').focus()")
    page.do("press", keys=["ArrowRight"])

    wanted = {
        "example",
        "input-name",
        "share",
        "command",
        "test-case",
        "download",
        "reset",
        "namespace",
        "pod",
        "tab-pod",
    }
    assert wanted <= reached
    assert page.evaluate("document.activeElement.id") == "tab-after"
    assert page.evaluate("document.getElementById('panel-after').hidden") is False


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "name"), [(1280, "wide"), (320, "phone")])
def test_axe_finds_nothing(page: Browser, scheme: str, width: int, name: str) -> None:
    reset(page)
    page.do("viewport", width=width, height=900, scheme=scheme)
    page.do("waitFor", expression="document.body.dataset.origins === 'shown'")
    for tab in ("why", "after", "patch", "response", "problems", "text"):
        page.do("click", selector=f"#tab-{tab}")
        if tab == "why":  # hidden steps are not checked
            page.do("click", selector="#open-steps")
        assert page.do("axe")["violations"] == [], tab
        if tab == "why":
            page.do("click", selector="#open-steps")
        if (tab, name, scheme) in SHOWN and os.environ.get("PODGRAFT_SCREENSHOTS"):
            start = "output" if name == "phone" else "input"
            page.evaluate("document.querySelector('html').style.scrollBehavior = 'auto'")
            page.evaluate(f"document.getElementById('{start}').scrollIntoView()")
            SHOTS.mkdir(exist_ok=True)
            page.do("screenshot", path=str(SHOTS / f"playground-{tab}-{name}-{scheme}.png"))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
