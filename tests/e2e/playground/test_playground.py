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
MAX_TRANSFER = 6_500_000
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


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
    page.evaluate("window.copied.length = 0")
    page.do("viewport", width=1280, height=900, scheme="light")
    choose(page, "allow")
    choose(page, "istio")
    page.do("click", selector="#tab-policy")


def choose(page: Browser, name: str, pod: str | None = None) -> None:
    page.after("select", selector="#example", value=name)
    pods = [*EXAMPLES[name]["pods"]]
    if pod is not None and pod != pods[0]:
        page.after("click", selector=f"#inputs button:nth-child({pods.index(pod) + 1})")
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")


def copied(page: Browser, selector: str) -> str:
    """The text that a button copies."""
    page.evaluate("window.copied.length = 0")
    page.do("click", selector=selector)
    page.do("waitFor", expression="window.copied.length === 1")
    return page.evaluate("window.copied[0]")


def choose_action(page: Browser, selector: str) -> None:
    """Select an item of the menu."""
    page.do("click", selector="#more")
    page.do("click", selector=selector)


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
    expected = run_cli(tmp_path, "-f", "pod.yaml", "--config", ".")

    choose(page, name, pod)

    assert page.text("#text") == expected.stdout
    assert page.text("#time").endswith(f"exit status {expected.returncode}")
    for line in expected.stderr.splitlines():
        assert line.removeprefix("warning: ") in page.text("#facts")


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
        expected = run_cli(folder, "-f", "pod.yaml", "--config", ".")

        assert page.text("#text") == expected.stdout
        assert ("✓" in results[4]) is (expected.returncode == 0), results


def test_a_share_link_restores_the_input(page: Browser, site: Site) -> None:
    choose(page, "istio", "web")
    pod = page.value("#pod") + "# äöü 漢字 \U0001f600\n"
    page.after("fill", selector="#pod", value=pod)
    page.do("click", selector="#context")
    page.after("fill", selector="#namespace-labels", value="istio-injection=enabled")
    text = page.text("#text")
    link = copied(page, "#share")

    page.do("open", url=link)

    assert link.startswith(f"{site.url}#1.")
    assert page.value("#pod") == pod
    assert page.value("#namespace-labels") == "istio-injection=enabled"
    assert page.text("#text") == text
    assert "from a link" in page.text("#note")
    assert "namespace shop, labels istio-injection=enabled" in page.text("#context")


@pytest.mark.parametrize("fragment", ["1.", "1.AAAA", "2.AAAA", "x", "1.%00", "1." + "A" * 200_000])
def test_a_damaged_link_is_reported(page: Browser, fragment: str) -> None:
    pod = page.value("#pod") + "# edit\n"
    page.after("fill", selector="#pod", value=pod)
    page.evaluate(f"void (location.hash = {json.dumps(fragment)})")
    page.do("waitFor", expression="document.getElementById('note').textContent.includes('link')")

    assert page.value("#pod") == pod
    assert "web" in page.text("#text")


def test_the_link_to_the_result_leaves_the_input_as_it_is(page: Browser) -> None:
    reset(page)
    pod = page.value("#pod") + "# edit\n"
    page.after("fill", selector="#pod", value=pod)
    page.evaluate("document.querySelector('.skip').focus()")
    page.do("press", keys=["Enter"])

    assert page.evaluate("document.activeElement.id") == "verdict"
    assert page.evaluate("location.hash") == ""
    page.after("press", keys=["Control+Enter"])
    assert page.value("#pod") == pod


def test_a_link_cannot_inflate_without_limit(page: Browser) -> None:
    bomb = page.evaluate(
        "(async () => { const s = new Blob(['\"' + 'a'.repeat(64e6) + '\"']).stream()"
        ".pipeThrough(new CompressionStream('deflate-raw'));"
        "const b = new Uint8Array(await new Response(s).arrayBuffer()); let t = '';"
        "for (const x of b) t += String.fromCharCode(x);"
        "return btoa(t).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''); })()"
    )

    page.evaluate(f"void (location.hash = '1.{bomb}')")
    page.do("waitFor", expression="document.getElementById('note').textContent.includes('3 MiB')")


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
    browser.do("click", selector="#tab-response")
    browser.do("click", selector="#command")
    observed = browser.do("requests")

    assert transferred < MAX_TRANSFER
    # Chromium may check for a new service worker at any time after a visit; it sends no content.
    assert {path for path, _ in site.requests[count:]} <= {"/sw.js"}
    assert len(observed["requests"]) == seen
    assert all(url.startswith(site.url) for url in observed["requests"])
    assert observed["problems"] == []  # of the page's policy as well


# Milliseconds from a change of the pod to the result for it, as the page shows it.
EDIT = """
(async (index) => {
  const editor = document.getElementById("pod");
  const shown = Number(document.body.dataset.shown);
  const start = performance.now();
  editor.value = `${editor.value.split("# edit")[0]}# edit ${index}\\n`;
  editor.dispatchEvent(new Event("input", { bubbles: true }));
  while (Number(document.body.dataset.shown) === shown) await new Promise(requestAnimationFrame);
  return performance.now() - start;
})
"""


def test_a_second_visit_transfers_only_the_check_for_a_new_build(
    browser: Browser, site: Site
) -> None:
    browser.do("open", url=site.url)
    site.requests.clear()
    browser.do("open", url=site.url, keep=True)

    assert {path for path, _ in site.requests} <= {"/sw.js"}


def test_a_second_visit_starts_with_the_stored_code(browser: Browser, site: Site) -> None:
    """Chromium keeps optimized code for it, and starts in less than 3 s on a calm machine."""
    browser.do("open", url=site.url)
    browser.do("open", url=site.url, keep=True)

    files = {url.rpartition("/")[2] for url in browser.do("requests")["requests"]}
    assert "pyodide.asm.wasm" in files
    assert "pyodide.asm.wasm.gz" not in files
    stored = browser.evaluate(
        "caches.keys().then(async ([name]) => (await (await caches.open(name)).keys())"
        ".map((each) => each.url))"
    )
    assert [each.rpartition("/")[2] for each in stored if ".wasm" in each] == ["pyodide.asm.wasm"]


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
    if field in {"#policy", "#webhooks", "#bundle"}:
        page.do("click", selector=f"#tab-{field[1:]}")
    elif field == "#namespace":
        page.do("click", selector="#context")
    value = HOSTILE
    if field == "#pod":
        value = page.value("#pod").replace("registry.example.com", HOSTILE.replace('"', "'"))
    page.after("fill", selector=field, value=value)

    assert page.evaluate("document.title").endswith("podgraft playground")
    assert page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    roots = "[...document.querySelectorAll('code-editor')].map((e) => e.shadowRoot)"
    added = "r.querySelector('img:not(.cm-widgetBuffer), script')"
    assert page.evaluate(f"{roots}.every((r) => {added} === null)")


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
    page.do("fill", selector="#pod", value=text)
    page.do("settle", after=count)

    assert page.text("#word") in {"No result", "podgraft failed"}
    assert page.text("#text") == ""

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


def test_a_failure_clears_the_result_of_the_input_before(page: Browser) -> None:
    reset(page)
    pod, expected = page.value("#pod"), page.text("#text")
    assert page.text("#text")

    page.evaluate(BREAK)
    page.after("fill", selector="#pod", value=f"{pod}# edit\n")

    assert page.text("#word") == "podgraft failed"
    assert page.text("#failure") == "KeyError: 'do'"
    assert page.evaluate("document.querySelectorAll('#decision, #changes, #output').length") == 0
    assert page.text("#text") == ""
    assert page.text("#time") == ""

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
    """Replace the template of an overlay by nested loops, which each of many pods runs."""
    page.after("fill", selector="#pod", value="---\n".join([page.value("#pod")] * 20))
    page.do("click", selector="#tab-bundle")
    head, _, _ = page.value("#bundle").partition("  template: |")
    loop = "".join("{{ range until 9999 }}" for _ in range(6)) + "{{ end }}" * 6
    page.do("fill", selector="#bundle", value=f"{head}  template: |\n    {loop}\n")
    page.do("waitFor", expression="document.getElementById('stop') !== null")


def test_stop_ends_a_long_evaluation(page: Browser) -> None:
    reset(page)
    choose(page, "logging")
    page.do("click", selector="#tab-bundle")
    overlay = page.value("#bundle")
    start_endless_evaluation(page)
    page.do("click", selector="#stop")
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")
    page.after("fill", selector="#bundle", value=overlay)

    assert page.text("#word") == "Injected"


@pytest.mark.parametrize(
    ("name", "file", "text", "replacement"),
    [
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

    assert page.text("#word") == "Unknown"
    expression = replacement.removeprefix('regexFind "').removesuffix('"')
    assert expression in page.text("#unsupported")
    assert page.text("#text") == ""
    assert page.evaluate("document.querySelectorAll('.path, .diff').length") == 0

    choose_action(page, "#test-case")
    page.do("waitFor", expression="document.getElementById('note').textContent !== ''")
    assert "no test case" in page.text("#note")


def test_an_edited_cel_expression_is_evaluated(page: Browser) -> None:
    reset(page)
    choose(page, "require-limits")
    page.do("click", selector="#tab-bundle")
    open_file(page, "require-limits.yaml")
    text = page.value("#bundle")
    for old in ("withoutRequest", "withoutLimit", "tooLarge"):
        text = text.replace(f"size(variables.{old}) == 0", f"size(variables.{old}) >= 0")
    page.after("fill", selector="#bundle", value=text)

    assert page.text("#word") == "Unchanged"


def open_groups(page: Browser) -> None:
    """Open all groups of changes, with their origins."""
    page.do("waitFor", expression="document.body.dataset.origins === 'shown'")
    page.evaluate("for (const group of document.querySelectorAll('.group')) group.open = true")
    page.do(
        "waitFor", expression="document.querySelectorAll('.group:not(:has(.diff))').length === 0"
    )


def test_a_line_of_the_sidecar_leads_to_its_template_line(page: Browser) -> None:
    reset(page)
    open_groups(page)
    page.evaluate(
        "[...document.querySelectorAll('.d.add')].find((row) => "
        "row.innerText.includes('name: istio-proxy')).querySelector('.origin').click()"
    )

    assert "name: istio-proxy" in page.text("#source .mark")
    assert "Show in injector.yaml:" in page.text("#source header")

    page.do("click", selector="#source .place")
    selected = page.evaluate("document.getElementById('bundle').selection")
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
    open_groups(page)
    label = page.evaluate(
        "[...document.querySelectorAll('.d.add')].find((row) => "
        f"row.querySelector('pre').innerText.trim().endsWith('- {line}'))"
        ".querySelector('.by').innerText"
    )

    assert label.startswith(f"{template}:")


def test_the_copied_command_prints_the_text_of_the_page(page: Browser, tmp_path: Path) -> None:
    reset(page)
    page.do("click", selector="#context")
    page.after("fill", selector="#namespace", value="it's a test")
    command = copied(page, "#command")
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
    page.do("click", selector="#context")
    page.after("fill", selector="#namespace", value="test")
    choose_action(page, "#test-case")
    page.do("waitFor", expression="document.getElementById('dialog').open")
    script = page.value("#dialog-value")
    page.do("press", keys=["Escape"])
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)

    assert test_cases.find_differences(tmp_path) == []


def test_a_step_opens_to_what_it_reads(page: Browser) -> None:
    reset(page)
    row = "document.querySelectorAll('.path > li')[3]"
    assert "1 selector, no match" in page.evaluate(f"{row}.innerText")
    page.evaluate(f"{row}.querySelector('.name button').click()")
    text = page.evaluate(f"{row}.querySelector('.input').innerText")

    assert "app: web" in text
    assert "neverInjectSelector 1: batch.kubernetes.io/job-name" in text


PLACES = """
[...document.querySelectorAll('#decision .place')].map((place) => {
  place.click();
  const editor = document.activeElement;
  return [place.textContent, editor.selection ?? ''];
})
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("istio", {"pod:6": "namespace: shop", "policy.yaml:2": "policy: enabled"}),
        ("require-limits", {"require-limits.yaml:33": "validations:"}),
    ],
)
def test_each_place_selects_its_line(page: Browser, name: str, words: dict[str, str]) -> None:
    reset(page)
    choose(page, name)
    selected = dict(page.evaluate(PLACES))

    assert all(text.strip() for text in selected.values())
    assert {place: selected[place].strip() for place in words} == words


IN_EDITOR = "document.getElementById('{}').shadowRoot.querySelector('{}')?.innerText ?? ''"


def test_the_line_that_decides_is_marked_in_its_editor(page: Browser) -> None:
    reset(page)
    assert "decides: injected" in page.evaluate(IN_EDITOR.format("policy", ".cm-line.mark"))
    assert page.evaluate("document.getElementById('tab-policy').classList.contains('decides')")

    choose(page, "istio", "node-agent")
    assert "decides: not injected" in page.evaluate(IN_EDITOR.format("pod", ".cm-line.mark"))
    assert page.evaluate(IN_EDITOR.format("policy", ".cm-line.mark")) == ""


def test_the_search_of_an_editor_is_large_enough_to_read_and_press(page: Browser) -> None:
    reset(page)
    page.evaluate("document.getElementById('pod').focus()")
    page.do("press", keys=["Control+f"])
    found = page.evaluate(
        "[...document.getElementById('pod').shadowRoot.querySelectorAll("
        "'.cm-search :is([name=search], [name=replace], button, label)')].filter((each) => "
        "each.offsetHeight < 24 || parseFloat(getComputedStyle(each).fontSize) < 12)"
        ".map((each) => each.name || each.textContent)"
    )
    assert page.evaluate(
        "getComputedStyle(document.getElementById('namespace'), '::placeholder')"
        ".color === getComputedStyle(document.getElementById('help-labels')).color"
    )
    page.do("press", keys=["Escape"])

    assert found == []


def test_a_problem_is_below_the_line_that_causes_it(page: Browser) -> None:
    reset(page)
    pod = page.value("#pod")
    broken = pod.replace("namespace: shop", "namespace shop")
    page.after("fill", selector="#pod", value=broken)

    assert page.text("#word") == "No result"
    assert page.text("#reason").startswith("pod:6: could not find expected ':'")
    assert "namespace shop" in page.evaluate(IN_EDITOR.format("pod", ".cm-line.bad"))
    assert "write a colon" in page.evaluate(IN_EDITOR.format("pod", ".problem"))
    right = "document.getElementById('pod').{}getBoundingClientRect().right"
    box = right.format("shadowRoot.querySelector('.problem > div').")
    assert page.evaluate(box) <= page.evaluate(right.format(""))
    page.do("press", keys=["F8"])
    assert page.evaluate("document.getElementById('pod').selection").strip() == "namespace shop"

    page.after("fill", selector="#pod", value=pod)
    assert page.text("#word") == "Injected"
    assert page.evaluate(IN_EDITOR.format("pod", ".problem")) == ""


def test_a_hint_changes_the_verdict(page: Browser) -> None:
    reset(page)
    label = '    sidecar.istio.io/inject: "false"\n'
    page.after(
        "fill", selector="#pod", value=page.value("#pod").replace("labels:\n", f"labels:\n{label}")
    )
    assert page.text("#word") == "Not injected"
    page.after("click", selector="#changes .btn")

    assert page.text("#word") == "Injected"


def test_several_objects_have_a_segment_each(page: Browser) -> None:
    reset(page)
    pods = EXAMPLES["istio"]["pods"]
    page.after("fill", selector="#pod", value=f"{pods['web']}---\n{pods['node-agent']}")

    assert page.text("#word") == "Injected"
    assert "1 of 2 objects" in page.text("#reason")
    page.do("click", selector="#objects button:nth-child(2)")
    assert page.text("#word") == "Not injected"

    right = "document.getElementById('{}').getBoundingClientRect().right"
    page.evaluate("document.querySelector('#objects button').append('x'.repeat(500))")
    assert page.evaluate(right.format("objects")) <= page.evaluate(right.format("facts"))


def test_the_menu_leads_to_the_page_of_the_example(page: Browser) -> None:
    reset(page)
    choose(page, "logging")

    assert page.evaluate("document.getElementById('about').href").endswith("/samples/logging/")
    assert page.evaluate("document.querySelector('.brand').href") == "https://podgraft.dev/"


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


def test_undo_brings_back_no_text_of_another_file(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#tab-bundle")
    names = [*EXAMPLES["istio"]["files"]]
    open_file(page, names[0])
    open_file(page, names[1])
    page.evaluate("document.getElementById('bundle').focus()")
    page.after("press", keys=["x", "Control+z", "Control+z", "Control+z"])

    assert page.value("#bundle") == EXAMPLES["istio"]["files"][names[1]]
    assert page.text("#word") == "Injected"


def test_a_bundle_without_files_takes_the_text_of_its_editor(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#tab-bundle")
    for _ in EXAMPLES["istio"]["files"]:
        page.after("click", selector="#delete-file")
    assert page.evaluate("document.activeElement.id") == "add-file"

    page.after("fill", selector="#bundle", value=EXAMPLES["istio"]["files"]["injector.yaml"])

    assert page.text("#word") == "Injected"
    assert page.text("#file-tabs") == "bundle.yaml"


def test_a_note_is_visible_in_each_view_until_the_next_edit(page: Browser) -> None:
    reset(page)
    pod = page.value("#pod")
    noise = "".join(f"# {number * 7919 % 10007:x}{number}\n" for number in range(9_000))
    page.after("fill", selector="#pod", value=pod + noise)
    page.do("viewport", width=390, height=844)
    page.do("click", selector="#view-result")
    choose_action(page, "[data-do=share]")
    page.do("waitFor", expression="document.getElementById('note').offsetParent !== null")

    assert "Use Download folder" in page.text("#note")
    assert page.evaluate("document.getElementById('note').getAttribute('role')") == "alert"
    page.after("fill", selector="#pod", value=pod)
    assert page.text("#note") == ""


def test_a_link_cannot_name_a_file_outside_of_the_bundle(page: Browser) -> None:
    """Its visitor may copy the command, which writes the files."""
    reset(page)
    message = page.evaluate(
        "import(performance.getEntriesByType('resource').find((each) => "
        "each.name.endsWith('share.js')).name).then(({ decodeState, encodeState }) => "
        "encodeState({ pod: '', policy: '', webhooks: '', options: {}, "
        "files: { '../../x.yaml': '' } }).then(decodeState).then(() => '', (e) => e.message))"
    )

    assert "damaged" in message


def test_an_object_that_is_no_pod_does_not_run(page: Browser) -> None:
    reset(page)
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    page.after("fill", selector="#pod", value=config)

    assert page.text("#word") == "Not injected"
    assert "runs without" not in page.text("#changes")


def test_the_context_closes_when_the_focus_leaves_it(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#context")
    page.do("press", keys=["Tab"] * 4)
    assert page.evaluate("document.activeElement.id") == "injector"
    page.do("press", keys=["Tab"])

    assert page.evaluate("document.activeElement.id") == "pod"
    assert page.evaluate("document.getElementById('context-panel').hidden")


def test_no_name_of_a_step_breaks_on_a_phone(page: Browser) -> None:
    reset(page)
    broken = (
        "[...document.querySelectorAll('.path .name code')]"
        ".filter((name) => name.getClientRects().length !== 1).map((name) => name.textContent)"
    )
    for width in (320, 360, 390):
        page.do("viewport", width=width, height=740)
        assert page.evaluate(broken) == [], width


def test_typing_is_possible_during_an_evaluation(page: Browser) -> None:
    reset(page)
    choose(page, "logging")
    start_endless_evaluation(page)
    assert page.evaluate("document.body.dataset.state") == "running"
    page.do("click", selector="#context")
    page.do("press", keys=[*"abc"])

    assert page.value("#namespace") == "abc"
    page.do("waitFor", expression="document.getElementById('stop') !== null")
    page.do("click", selector="#stop")
    page.do("waitFor", expression="document.body.dataset.state === 'idle'")


def test_the_page_states_what_it_does_not_evaluate(page: Browser) -> None:
    reset(page)
    page.do("click", selector="#limits")
    text = page.evaluate("document.getElementById('dialog').innerText")

    assert "RE2" in text
    assert "libyaml" in text


def test_a_session_with_the_keyboard_only(page: Browser, site: Site) -> None:
    """Choose an example, edit, go to the problem, open a step, open a template line, copy."""
    page.do("open", url=site.url)
    page.do("waitFor", expression="document.body.dataset.origins === 'shown'")
    page.do("press", keys=["Tab", "Tab", "Tab"])
    assert page.evaluate("document.activeElement.id") == "example"
    count = page.do("answers")["count"]
    page.do("press", keys=["ArrowDown", "ArrowUp"])
    page.do("settle", after=count)

    page.do("press", keys=["Alt+1"])
    page.do("press", keys=["Control+End"])
    count = page.do("answers")["count"]
    page.do("type", text="x")
    page.do("settle", after=count)
    assert page.text("#word") == "No result"
    page.do("press", keys=["F8"])
    assert page.evaluate("document.activeElement.tagName") == "CODE-EDITOR"
    count = page.do("answers")["count"]
    page.do("press", keys=["Control+z"])
    page.do("settle", after=count)
    assert page.text("#word") == "Injected"

    page.do("press", keys=["Escape", "Tab"])
    assert page.evaluate("document.activeElement.tagName") != "CODE-EDITOR"
    page.do("press", keys=["Alt+r"])
    for _ in range(30):
        if page.evaluate("document.activeElement.matches('.path > li > .name > button')"):
            break
        page.do("press", keys=["Escape", "Tab"])  # Tab alone indents in an editor
    page.do("press", keys=["ArrowDown", "Enter"])
    assert page.evaluate("document.querySelectorAll('.path .input').length") == 1
    page.do("press", keys=["g"])
    assert page.evaluate("document.getElementById('pod').selection").strip() == "namespace: shop"

    page.evaluate("document.querySelectorAll('.group summary')[1].focus()")
    page.do("press", keys=["Enter", "Tab", "ArrowDown", "Enter"])
    assert "initContainers:" in page.text("#source .mark")
    page.do("press", keys=["Escape"])
    assert page.evaluate("document.getElementById('source')") is None

    page.evaluate("document.getElementById('share').focus()")
    page.do("press", keys=["Enter"])
    page.do("waitFor", expression="window.copied.length === 1")
    assert page.text("#share") == "Copied"


def test_the_menu_is_used_by_the_keyboard(page: Browser) -> None:
    reset(page)
    page.evaluate("document.getElementById('more').focus()")
    page.do("press", keys=["ArrowDown"])
    assert page.evaluate("document.activeElement.id") == "test-case"
    page.do("press", keys=["End", "ArrowUp", "Enter"])
    assert page.evaluate("document.getElementById('plain').getAttribute('aria-checked')") == "true"
    assert page.evaluate("document.activeElement.id") == "more"
    page.after("fill", selector="#pod", value=page.value("#pod") + "# plain\n")
    assert page.text("#word") == "Injected"
    choose_action(page, "#plain")


EDITORS = "[...document.querySelectorAll('code-editor')]"


def test_an_editor_has_numbers_folds_and_a_name(page: Browser) -> None:
    reset(page)
    content = "shadowRoot.querySelector('.cm-content')"
    assert page.evaluate(f"{EDITORS}.every((e) => e.{content}.getAttribute('aria-label'))")
    assert page.evaluate(f"{EDITORS}.every((e) => e.{content}.getAttribute('role') === 'textbox')")
    numbers = page.evaluate(IN_EDITOR.format("pod", ".cm-lineNumbers")).split()
    assert {"1", "2", "3"} <= {*numbers}
    folds = "document.getElementById('pod').shadowRoot.querySelectorAll('.cm-foldGutter span')"
    lines = "document.getElementById('pod').shadowRoot.querySelectorAll('.cm-line').length"
    before = page.evaluate(lines)
    page.evaluate(f"[...{folds}].at(-1).click()")
    assert page.evaluate(lines) < before
    page.evaluate("document.getElementById('pod').goTo(1)")
    page.do("waitFor", expression=f"{lines} === {before}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_axe_finds_nothing(page: Browser, scheme: str, width: int) -> None:
    reset(page)
    page.do("viewport", width=width, height=900, scheme=scheme)
    for name, pod in (("istio", "web"), ("istio", "node-agent"), ("require-limits", "bad")):
        page.do("viewport", width=1280, height=900, scheme=scheme)
        choose(page, name, pod)
        page.do("viewport", width=width, height=900, scheme=scheme)
        if page.evaluate("document.querySelectorAll('.group').length"):
            open_groups(page)
        page.evaluate("for (const b of document.querySelectorAll('.name button')) b.click()")
        assert page.do("axe")["violations"] == [], (name, pod)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, pod)
    if width < 860:
        page.do("click", selector="#view-input")
        assert page.do("axe")["violations"] == []
    page.do("click", selector="#context")
    assert page.do("axe")["violations"] == []
    page.do("click", selector="#more")
    assert page.do("axe")["violations"] == []
    page.after("fill", selector="#pod", value="kind: [")
    assert page.do("axe")["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.getElementById('view-result').click()")
