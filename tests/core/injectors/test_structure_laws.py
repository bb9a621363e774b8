"""Laws of what a pod's text can do, over generated templates and hostile values.

``PODGRAFT_PAIRS`` sets the number of pairs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.core.injectors.overlay.data import OverlayData
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect.taint import PlaceholderRegistry
from podgraft.golang.reflect.tainted_values import taint_json
from podgraft.golang.texttemplate import ExecError, LimitError
from podgraft.golang.texttemplate.run.tracing import Trace
from podgraft.kube import yaml
from support.effort import scaled

from .generated import PAYLOADS, Pair, find_wrong_structure, make_pairs
from .hostile_templates import check_object, make_injector, make_mesh, make_overlay, make_pod

PAIRS = int(os.environ.get("PODGRAFT_PAIRS", scaled(2000)))
RELEASES = ("1.8", "1.9", "1.13", "1.20", "1.24", "1.30")
VALUES = 4


def outcome(way: str, pair: Pair) -> str:
    """What becomes of a pair: the law that it breaks, or how the pod came out."""
    pod = make_pod({"cfg": pair.value})
    try:
        if way == "overlay":
            result = make_overlay.__wrapped__(pair.template).apply(pod, "shop", {})
        else:
            injector = make_injector.__wrapped__(pair.template, way)
            result = injector.inject(pod, ReviewContext(namespace="shop")).pod
    except UserError as error:
        return "refused" if "cfg" in str(error) else f"names another culprit: {error}"
    except OperatorError:
        return "failed"
    wrong = find_wrong_structure(result)
    return f"broken: {wrong}" if wrong else "passed"


def run(way: str, count: int) -> Counter[str]:
    random = Random(f"structure {way}")  # noqa: S311 - the same pairs each time
    counts: Counter[str] = Counter()
    while counts.total() < count:
        for pair in make_pairs(random, istio=way != "overlay", values=VALUES):
            result = outcome(way, pair)
            assert result in ("refused", "passed", "failed"), (result, pair)
            counts[result] += 1
    return counts


@pytest.mark.parametrize("way", ["overlay", *RELEASES])
def test_no_value_changes_the_structure_of_a_template(way: str) -> None:
    share = 2 if way == "overlay" else 2 * len(RELEASES)
    counts = run(way, PAIRS // share)

    print(way, dict(counts))  # noqa: T201 - shown by pytest -rP
    assert counts["refused"]
    assert counts["passed"]


def render_or_error(render: Callable[..., str | Trace], *arguments: object) -> str:
    """What a rendering writes, or the error with which it ends."""
    try:
        done = render(*arguments)
        return done if isinstance(done, str) else done.text
    except (ExecError, LimitError) as error:
        return str(error)


def test_a_traced_rendering_writes_what_a_plain_one_writes() -> None:
    random = Random("traced")  # noqa: S311
    for _ in range(PAIRS // VALUES):
        for pair in make_pairs(random, istio=False, values=VALUES):
            program = make_overlay.__wrapped__(pair.template).template
            data = OverlayData(make_pod({"cfg": pair.value}), "shop", None, {})
            slots = PlaceholderRegistry()
            tainted = replace(data, object=taint_json(slots, data.object))
            dot = tainted.copy_for_mutation().to_struct()
            plain = render_or_error(program.render, data.copy_for_mutation().to_struct())
            assert render_or_error(program.trace, dot, slots) == plain, pair


# Scalars for a value, each in the flow and the block style of a list.
QUOTES = ("{}", "pre-{}", "{}-post", '"{}"', "'{}'", '"a {} b"', "'{}, b'")
PIECES = (
    *("a", "b1", "é"),
    *(" ", "  ", "\t", "\n", "\r\n", "\x85", "\u2028"),
    *("''", "\\n", "\\\n"),
)
LISTS = ("\n    - {}\n    - last", "[{}, last]")


def test_white_space_and_escapes_are_no_change_of_structure() -> None:
    """What YAML reads as the same lists, with all words, is accepted, and is what YAML reads."""
    random = Random("folding")  # noqa: S311
    counts: Counter[str] = Counter()
    for _ in range(PAIRS // VALUES):
        quoted = random.choice(QUOTES)
        pieces = PIECES if quoted[0] in "'\"" else PIECES[:10]
        value = "".join(random.choices(pieces, k=random.randrange(1, 7)))
        written = random.choice(LISTS).format(quoted)
        frame = "spec:\n  containers:\n  - name: agent\n    args: {}\n"
        expected = read_args(frame.format(written.format(value)))
        # An escaped line break also takes the space of the template after it.
        end = quoted.strip("\"'").rpartition("}")[2]
        text = expected[0] if len(expected) == 2 else ""
        if not text.strip() or not text.endswith(end):
            counts["changed"] += 1
            continue
        template = frame.format(written.format('{{ index .ObjectMeta.Annotations "cfg" }}'))
        result = make_overlay.__wrapped__(template).apply(make_pod({"cfg": value}), "shop", {})
        assert read_args(yaml.dump(result)) == expected, (template, value)
        counts["passed"] += 1
    assert counts["passed"] > PAIRS // VALUES // 3
    assert counts["changed"]


def read_args(text: str) -> list[str]:
    """The arguments of the agent; none if these are not texts."""
    try:
        document = check_object(yaml.load(text))
    except yaml.NotYAMLError:
        return []
    containers = check_object(document["spec"])["containers"]
    assert isinstance(containers, list)
    (args,) = [agent["args"] for agent in map(check_object, containers) if "args" in agent]
    return [each for each in args if isinstance(each, str)] if isinstance(args, list) else []


TESTS = (
    'contains "{x}" V', 'hasPrefix "{x}" V', 'hasSuffix "{x}" V', 'eq V "{x}" "z"', 'ne V "{x}"',
    'lt V "{x}"', 'ge V "{x}"', 'regexMatch "[{x}]" V', "empty V", 'has "{x}" (splitList "," V)',
    'hasKey (dict V 1) "{x}"', "gt (len V) 3", 'eq (trim V) "{x}"', 'eq (V | b64dec) "{x}"',
    'contains "{x}" (V | b64enc | b64dec | trunc 5)', 'kindIs "string" V', 'deepEqual V "{x}"',
    'eq (V | sha256sum) "{x}"', "gt (atoi V) 5", 'eq (V | replace "e" ": " | quote) "{x}"',
    'any (splitList "," V)', "not V", 'and V "{x}"', 'eq (typeOf V) "{x}"', "isAbs V",
    'eq (printf "%s: %q" V V) "{x}"', 'eq (index (splitList ":" V) 0) "{x}"',
)  # fmt: skip


def test_text_that_is_not_rendered_is_never_rejected() -> None:
    random = Random("tests")  # noqa: S311
    for _ in range(PAIRS // VALUES):
        tests = [random.choice(TESTS).replace("{x}", random.choice("e:,-x")) for _ in range(2)]
        value = '(index .ObjectMeta.Annotations "cfg")'
        one, other = (test.replace("V", value) for test in tests)
        template = (
            "spec:\n  containers:\n  - name: agent\n    args:\n"
            f"    - {{{{ if {one} }}}}a{{{{ else }}}}b{{{{ end }}}}\n"
            f"    - {{{{ ternary `c` `d` (not (not ({other}))) }}}}\n"
        )
        overlay = make_overlay.__wrapped__(template)
        for _ in range(VALUES):
            overlay.apply(make_pod({"cfg": random.choice(PAYLOADS)}), "shop", {})


LABELS = ("evl:xx", "a-", "null", "x", "1.5", "on", "-x", "a_b.c", "nul", "..", "a:-", "5")
MESH_STEPS = (
    "{0}", "slice {} 0 {n}", "printf `%.{n}s` {}", "printf `%s` {}", "print {} .AppPort",
    "printf `%c` (index {} 0)", "printf `%s%c %s` .MeshName (index {0} 3) {0}", "html {}", "js {}",
    "printf `%d` (len {})", "urlquery {}", "printf `%v` (slice {} 1 {n})", "len {}",
)  # fmt: skip


def test_no_label_changes_the_structure_of_an_app_mesh_template() -> None:
    random = Random("meshes")  # noqa: S311
    counts: Counter[str] = Counter()
    for _ in range(PAIRS // 10):
        made = "(print .VirtualNodeName `xxxx`)"
        for step in random.choices(MESH_STEPS, k=random.choice((1, 2, 3))):
            made = f"({step.format(made, made, n=random.choice((1, 2, 3, 4)))})"
        written = random.choice(("{}", "p{}", '"{}"', "{} q")).format(f"{{{{ {made} }}}}")
        mesh = f"containers:\n- name: agent\n  args:\n  - {written}\n  - last\n"
        try:
            compiled = make_mesh.__wrapped__(mesh)
        except InjectionError:
            counts["not loaded"] += 1
            continue
        for label in LABELS:
            pod = make_pod({})
            metadata = check_object(pod["metadata"])
            labels: dict[str, str] = {"app": "web", "node": label}
            try:
                result = compiled(
                    {**pod, "metadata": {**metadata, "labels": {**labels}}},
                    ReviewContext(namespace="n"),
                )
            except (UserError, OperatorError):
                counts["refused"] += 1
                continue
            counts["passed"] += 1
            containers = check_object(result.object["spec"])["containers"]
            assert isinstance(containers, list)
            agent = check_object(containers[-1])
            args = agent["args"]
            assert set(agent) == {"name", "args"}
            assert isinstance(args, list)
            assert len(args) == 2
            assert not isinstance(args[0], dict | list), (mesh, label)
    assert counts["refused"]
    assert counts["passed"]
