"""What a pod's author writes cannot become structure of what a template's author wrote.

Every hostile value is tried in every annotation that a shipped template writes without escaping,
over Istio's own 1.30 template where the corpus is, and over our sample. It must be refused with a
message that names the annotation, or be harmless: then the pod differs from one with a harmless
value in nothing but strings that hold what the author wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance import corpus
from podgraft.injection import OperatorError, UserError, istio
from podgraft.injection.istio.draft import annotations_of
from podgraft.injection.masks import FILLS, Masking, is_harmless, same_structure
from podgraft.jsonvalue import JSON, Object

from . import bundles
from .pods import container, pod

PRIVILEGED = "securityContext: {privileged: true}"

HOSTILE = (
    # A field of the container
    "info\n    tty: true",
    "info\n    tty: true\n    args:\n    - x",
    f"info\n    {PRIVILEGED}",
    f"info\n    {PRIVILEGED}\n    args:\n    - x",
    "info\r\n    tty: true\r\n    args:\r\n    - x",
    "info\u2028    tty: true\u2028    args:\u2028    - x",
    "info\x85    tty: true\x85    args:\x85    - x",
    # An element of its list, a container, a volume
    "info\n    - --evil",
    "info\n  - name: evil\n    image: evil\n    args:\n    - x",
    "x\n- name: evil\n  hostPath: {path: /}",
    "x\n  - name: evil\n    hostPath: {path: /}",
    "x\n    optional: true",
    "x\n    items: []",
    # Out of double quotes
    'a/b"\n    tty: true\n    x: "',
    f'a/b"\n    {PRIVILEGED}\n    x: "',
    'a/b"\n  - name: evil\n    image: "evil',
    'a/b", "evil',
    'a/b", tty: true, x: "',
    'a/b" #',
    "a/b\\",
    'a/b\\" evil: "',
    "a/b\\n    tty: true",
    # Out of single quotes, into flow
    "a/b', evil: 'x",
    "a/b, evil: x",
    "a/b}, {evil: x",
    "a/b], evil: [x",
    "a/{b: c}",
    "a/[b, c]",
    # Other than a string
    "{a: b}",
    "[a, b]",
    "a: b",
    "- a",
    "? a",
    "null",
    "~",
    # Anchors, aliases, tags, block scalars, comments, directives, documents
    "&a b",
    "*a",
    "!!map {}",
    "!!null a",
    "|",
    ">-",
    "a/b # c",
    "%YAML 1.1",
    "---\nspec: {hostNetwork: true}",
    "a\n---\nspec: {hostNetwork: true}",
    "...",
    "<<: {tty: true}",
    # Directives of a merge
    "x\n    $patch: replace",
    "$patch",
    # Template syntax, characters that YAML does not allow
    "{{ .Values }}",
    "a/\x00b",
    "a/\ufeffb",
    "\t",
)

# What Istio's 1.30 template writes as it is; our sample does so in the first.
ANNOTATIONS = (
    "sidecar.istio.io/logLevel",
    "sidecar.istio.io/componentLogLevel",
    "sidecar.istio.io/agentLogLevel",
    "sidecar.istio.io/proxyImage",
    "sidecar.istio.io/bootstrapOverride",
    "traffic.sidecar.istio.io/includeOutboundPorts",
)
# An image with a slash is taken as it is, one without names an image of the hub: branches of the
# template's author, so the harmless value is of the same kind.
HARMLESS = {True: "hub/harmless", False: "harmless"}


@cache
def _istio() -> istio.Injector | None:
    """Istio's own 1.30 configuration."""
    found = [case for case in corpus.cases() if case.release == "1.30"]
    plain = (case for case in found if case.name == "hello-probes.yaml")
    return next((corpus.injector(case) for case in plain), None)


def _injectors() -> Iterator[istio.Injector]:
    yield bundles.sample()
    found = _istio()
    if found is not None:
        yield found


def _pod(annotations: dict[str, JSON]) -> Object:
    ports: list[JSON] = [{"containerPort": 80}]
    return pod(container("app", image="app", ports=ports), annotations=annotations)


def _injected(injector: istio.Injector, given: Object) -> Object:
    return injector.inject(given, istio.Request(namespace="ns")).pod


def _differences(left: JSON, right: JSON) -> Iterator[tuple[JSON, JSON]]:
    """The values in which two objects of one structure differ; other structure differs whole."""
    match left, right:
        case dict(), dict() if left.keys() == right.keys():
            for key in left:
                yield from _differences(left[key], right[key])
        case list(), list() if len(left) == len(right):
            for one, other in zip(left, right, strict=True):
                yield from _differences(one, other)
        case _ if left != right:
            yield left, right
        case _:
            return


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_a_hostile_value_is_refused_or_harmless(annotation: str, value: str) -> None:
    for injector in _injectors():
        harmless = _injected(injector, _pod({annotation: HARMLESS["/" in value]}))
        try:
            hostile = _injected(injector, _pod({annotation: value}))
        except UserError as error:
            refusal = str(error)
            assert annotation in refusal
            continue
        for met, wanted in _differences(hostile, harmless):
            assert isinstance(met, str)
            assert isinstance(wanted, str)
            assert "harmless" in wanted


def test_the_sample_and_istios_template_refuse_what_would_bend_them() -> None:
    """The test above would pass if nothing were ever refused: some values must be."""
    for injector in _injectors():
        refused = {value for value in HOSTILE if _is_refused(injector, value)}

        assert refused >= {value for value in HOSTILE if "\n    args:" in value}


def _is_refused(injector: istio.Injector, value: str) -> bool:
    try:
        _injected(injector, _pod({"sidecar.istio.io/logLevel": value}))
    except UserError:
        return True
    return False


OWNER: Object = {"apiVersion": "x", "kind": "A\n    - name: EVIL", "name": "a", "controller": True}
OWNED: Object = {"generateName": "a-", "namespace": "ns", "ownerReferences": [OWNER]}

PLACES: tuple[tuple[Object, str], ...] = (
    # pod, who is named
    (pod(container("app"), annotations={"proxy.istio.io/config": 'proxyMetadata: {"A: b": c}'}),
     "annotation proxy.istio.io/config: "),
    (pod(container('x"\n    - name: EVIL\n      value: "y')), "/spec/containers/0/name: "),
    ({**pod(container("app")), "metadata": OWNED}, "the name or kind of the pod's owner: "),
)  # fmt: skip

PLAIN = """
spec:
  containers:
  - name: istio-proxy
    env:
    - name: OWNER
      value: {{ .TypeMeta.Kind }}
    - name: CONTAINERS
      value: "{{ range .Spec.Containers }}{{ .Name }}{{ end }}"
    {{- range $key, $value := .ProxyConfig.ProxyMetadata }}
    - name: {{ $key }}
      value: {{ $value }}
    {{- end }}
"""


@pytest.mark.parametrize(("given", "named"), PLACES)
def test_whatever_the_author_wrote_is_watched(given: Object, named: str) -> None:
    with pytest.raises(UserError) as caught:
        _injected(bundles.of_template(PLAIN), given)

    assert str(caught.value).startswith(named)


DELIBERATE = """
spec:
  containers:
  - name: istio-proxy
    args:
    {{- range splitList "," (annotation .ObjectMeta "list" "") }}
    - {{ . }}
    {{- end }}
    image: {{ if contains ": " (annotation .ObjectMeta "flag" "") }}a{{ else }}b{{ end }}
  volumes:
  {{- range $name, $volume := fromJSON (annotation .ObjectMeta "volumes" "{}") }}
  - name: {{ $name }}
    {{- toYaml $volume | nindent 4 }}
  {{- end }}
"""

ALLOWED: tuple[dict[str, JSON], ...] = (
    {"list": "a,b,c"},
    {"flag": "a: b"},
    {"volumes": '{"a": {"hostPath": {"path": "/x y", "type": ""}}, "b": {"emptyDir": {}}}'},
    {"volumes": '{"a": {"configMap": {"name": "x", "optional": true, "defaultMode": 420}}}'},
)
REFUSED: tuple[dict[str, JSON], ...] = (
    {"list": "a,b\n    tty: true"},
    {"list": "a,- b"},
    {"list": "a,{b: c}"},
    {"volumes": '{"a": {"$patch": "delete"}}'},
    {"volumes": '{"a\\n    hostPath: {path: /}": {"emptyDir": {}}}'},
    {"volumes": '{"null": {"emptyDir": {}}}'},
)


@pytest.mark.parametrize("annotations", ALLOWED, ids=str)
def test_structure_that_a_template_takes_on_purpose_is_its_own(
    annotations: dict[str, JSON],
) -> None:
    _injected(bundles.of_template(DELIBERATE), _pod(annotations))


@pytest.mark.parametrize("annotations", REFUSED, ids=str)
def test_what_comes_with_it_is_not(annotations: dict[str, JSON]) -> None:
    (name,) = annotations
    with pytest.raises(UserError, match=f"annotation {name}: "):
        _injected(bundles.of_template(DELIBERATE), _pod(annotations))


def test_a_decoder_makes_syntax_of_letters() -> None:
    from base64 import b64encode

    template = 'spec: {nodeName: {{ annotation .ObjectMeta "x" "" | b64dec }} }'
    injector = bundles.of_template(template)
    good, bad = (b64encode(text).decode() for text in (b"node", b"a, hostNetwork: true"))

    _injected(injector, _pod({"x": good}))
    with pytest.raises(UserError, match="annotation x: "):
        _injected(injector, _pod({"x": bad}))


def test_a_digest_of_the_pod_is_no_structure() -> None:
    template = """
metadata:
  annotations:
    digest: {{ toJson .ObjectMeta.Annotations | sha256sum }}
    length: "{{ len (annotation .ObjectMeta "x" "") }}"
"""
    injected = _injected(bundles.of_template(template), _pod({"x": "a: é\n"}))

    assert annotations_of(injected)["length"] == "6"


FAULTS: tuple[tuple[dict[str, JSON], str], ...] = (
    # annotation, whose fault
    ({"cpu": "a b c"}, "annotation cpu: "),
    ({"cpu": "x"}, "annotation cpu: "),
)
TYPED = """
spec:
  containers:
  - name: istio-proxy
    resources: {requests: {cpu: {{ annotation .ObjectMeta "cpu" "1" }}}}
"""


@pytest.mark.parametrize(("annotations", "named"), FAULTS)
def test_a_template_that_fails_with_the_pod_alone_is_the_authors_fault(
    annotations: dict[str, JSON], named: str
) -> None:
    more: dict[str, JSON] = {"before": "x", "later": "y: z"}
    with pytest.raises(UserError) as caught:
        _injected(bundles.of_template(TYPED), _pod({**more, **annotations}))

    assert str(caught.value).startswith(named)


BROKEN = (
    "spec: {{ .Missing }}",
    "spec: [",
    "- a list",
    "spec: {containers: 5}",
    "{{ range untilStep 0 2000000 1 }}x{{ end }}",
)


@pytest.mark.parametrize("template", BROKEN)
def test_a_template_that_fails_by_itself_is_the_operators_fault(template: str) -> None:
    with pytest.raises(OperatorError):
        _injected(bundles.of_template(template), _pod({"a": "b: c"}))


# Masks

TEXTS = st.text(st.sampled_from("ab:- ,#'\"{}[]&*!|>%@`\n\t\\~$./é×\u2028"), max_size=8) | st.text()


@given(TEXTS)
def test_a_masked_text_is_harmless_and_as_long(text: str) -> None:
    masked = Masking(FILLS[0]).of(text)

    assert isinstance(masked, str)
    assert is_harmless(masked) or not masked
    assert (masked is text) == is_harmless(text) or not text
    size = len(text.encode("utf-8", "surrogatepass"))
    assert len(masked) == size if masked is not text else True


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)


@given(VALUES)
def test_a_value_has_the_structure_of_its_masks(value: JSON) -> None:
    """Unless masking makes one key of two: such a pod is refused, which errs on the safe side."""
    first, second = (Masking(fill).of(value) for fill in FILLS)
    assume("$" not in json.dumps(value))  # a directive is no key that an author may bring
    assume(_keys(first) == _keys(value))

    assert same_structure(value, first, second)


def _keys(value: JSON) -> int:
    match value:
        case dict():
            return len(value) + sum(map(_keys, value.values()))
        case list():
            return sum(map(_keys, value))
        case _:
            return 0


CHARACTERS = (
    ("", True),
    ("a", True),
    ("hub/proxyv2:1.30@sha256:0f", True),
    ("--flag=a b", True),
    ("*", True),
    ("$(POD)", True),
    ("-", False),
    ("a -", False),
    ("a:", False),
    ("a: b", False),
    (":a", False),
    ("a  b", False),
    (" a", False),
    ("a ", False),
    ("a,b", False),
    ("---x", False),
    ("...", False),
    ("null", False),
    ("$patch", False),
    ("é", False),
    ("a\n", False),
)


@pytest.mark.parametrize(("text", "harmless"), CHARACTERS)
def test_harmless_is_what_no_yaml_takes_for_syntax(text: str, harmless: bool) -> None:
    assert is_harmless(text) is harmless
