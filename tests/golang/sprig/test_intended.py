"""Where the engine means to differ from Go: chance, the clock, spare room and sizes."""

from contextlib import suppress
from time import process_time

import pytest

from podgraft.golang import sprig
from podgraft.golang.reflect import STRING_MAP, Map
from podgraft.golang.texttemplate import ExecError, LimitError, compile_
from support.deep_stack import call_at_depth

FUNCTIONS = sprig.functions()
NO_CLOCK = "the date must be a time or an integer; the current time is not available"
NO_ELAPSED = "the time since a date requires the current time, which is not available"

SORTED = (
    ('{{ keys (dict "b" 1 "a" 2) (dict "c" 3 "a" 4) }}', "[a b a c]"),
    ('{{ values (dict "b" 1 "a" 2) }}', "[2 1]"),
)
FAILING = (
    ('{{ date "2006" "today" }}', f"error calling date: {NO_CLOCK}"),
    ("{{ htmlDate nil }}", f"error calling htmlDate: {NO_CLOCK}"),
    ('{{ dateInZone "2006" 1.5 "UTC" }}', f"error calling dateInZone: {NO_CLOCK}"),
    (
        '{{ durationRound (toDate "2006" "2000") }}',
        f"error calling durationRound: {NO_ELAPSED}",
    ),
    (
        "{{ slice (append (list 1 2 3) 4) 0 6 }}",
        "error calling slice: reflect.Value.Slice: slice index out of bounds",
    ),
)
TOO_LARGE = (
    '{{ repeat 1000000000000 "x" }}',
    '{{ indent 8388608 "a\\nb" }}',
    '{{ replace "" (repeat 100000 "x") (repeat 100000 "y") }}',
    '{{ replace "a" (repeat 100000 "x") (repeat 100000 "a") }}',
    '{{ regexReplaceAll "a" (repeat 100000 "a") (repeat 100000 "x") }}',
    '{{ join (repeat 100000 "x") (splitList "" (repeat 100000 "a")) }}',
    '{{ wrapWith 1 (repeat 100000 "x") (repeat 100000 "a") }}',
    "{{ until 9223372036854775807 }}",
    "{{ untilStep -9223372036854775808 9223372036854775807 1 }}",
    "{{ seq -9223372036854775808 9223372036854775806 }}",
    "{{ seq -1 -9223372036854775808 -5 }}",
    "{{ untilStep 0 9223372036854775807 4611686018427387905 }}",
    "{{ $l := until 1000000 }}{{ concat $l $l }}",
)


def render(template: str) -> str:
    return compile_(template, name="t", functions=FUNCTIONS).render(None)


@pytest.mark.parametrize(("template", "want"), SORTED)
def test_maps_are_walked_by_sorted_keys(template: str, want: str) -> None:
    assert render(template) == want


@pytest.mark.parametrize(("template", "reason"), FAILING)
def test_what_cannot_be_known_fails(template: str, reason: str) -> None:
    with pytest.raises(ExecError) as caught:
        render(template)
    assert caught.value.reason == reason


@pytest.mark.parametrize("template", TOO_LARGE)
def test_no_call_makes_more_than_its_bound(template: str) -> None:
    with pytest.raises(LimitError, match="longer than the limit"):
        render(template)


def test_a_map_that_holds_itself_has_no_json() -> None:
    cycle = '{{ $d := dict }}{{ $d = set $d "d" (list $d) }}{{ mustToJson $d }}'
    with pytest.raises(ExecError, match="encountered a cycle via"):
        render(cycle)


def test_what_nests_too_deeply_is_no_crash() -> None:
    assert render('{{ fromJson (repeat 100000 "[") }}') == "<no value>"
    with pytest.raises(ExecError, match="exceeded max depth"):
        render('{{ mustFromJson (repeat 100000 "[") }}')


@pytest.mark.parametrize("frames", [0, 150])
def test_the_depth_of_json_in_a_template_does_not_depend_on_the_stack(frames: int) -> None:
    nested = '{{ mustFromJson (printf "%s%s" (repeat N "[") (repeat N "]")) | toJson }}'
    assert (
        call_at_depth(frames, lambda: render(nested.replace("N", "200"))) == "[" * 200 + "]" * 200
    )
    with pytest.raises(ExecError, match="exceeded max depth"):
        call_at_depth(frames, lambda: render(nested.replace("N", "201")))


def test_a_merge_leaves_what_a_view_shows_alone() -> None:
    merged = (
        '{{ $m := merge (dict "l" .labels) (dict "l" (split "," "a")) }}{{ $m.l }}{{ .labels }}'
    )
    labels = {"x": "y"}
    data = {"labels": Map(STRING_MAP, labels)}
    rendered = compile_(merged, name="t", functions=FUNCTIONS).render(data)
    assert rendered == "map[_0:a x:y]map[_0:a x:y]"
    assert labels == {"x": "y"}


LONG = "aB1-" * 16_384  # as long as a quarter of all annotations a pod may have
HOSTILE = (
    "{{ semverCompare .long `1.2.3` }}",
    "{{ semverCompare (repeat 8192 `1 - 2 `) `1.2.3` }}",
    "{{ semver .long }}",
    "{{ regexMatch `(a+)+$` (print (repeat 65536 `a`) `b`) }}",
    "{{ snakecase .long }}",
    "{{ regexReplaceAll `a` `a` (repeat 32768 `$$`) }}",
    "{{ fromJson (repeat 65536 `[1,`) }}",
    "{{ urlParse (print `http://[` (repeat 32768 `1:`) `]/`) }}",
    "{{ int (repeat 65536 `1_`) }}{{ float64 .long }}",
)


@pytest.mark.parametrize("template", HOSTILE)
def test_no_text_takes_long(template: str) -> None:
    """Not with the square of its length: in that case these take minutes."""
    started = process_time()
    with suppress(ExecError):
        compile_(template, name="t", functions=FUNCTIONS).render({"long": LONG})
    assert process_time() - started < 10


CHANGING = (
    ('{{ set (dict) "a" 1 }}', True),
    (
        '{{ define "x" }}{{ if true }}{{ range .l }}{{ . | unset $ }}{{ end }}{{ end }}{{ end }}',
        True,
    ),
    ("{{ with $x := (mergeOverwrite .a .b).c }}{{ end }}", True),
    ('{{ .set }} set {{ "merge" }} {{ dict "a" (list 1) }}{{/* unset */}}', False),
)


@pytest.mark.parametrize(("template", "changes"), CHANGING)
def test_a_template_that_may_change_maps_is_known(template: str, changes: bool) -> None:
    program = compile_(template, name="t", functions=FUNCTIONS)
    assert program.mutates_data is changes
