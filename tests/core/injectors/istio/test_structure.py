"""What a pod's author writes cannot become structure of what a template's author wrote."""

from __future__ import annotations

import pytest

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import OperatorError, UserError
from podgraft.core.injectors.istio.pod_builder import pod_annotations

from . import bundles, hostile
from .hostile import app, inject_pod
from .pods import container, pod


@pytest.mark.parametrize("value", hostile.VALUES, ids=repr)
@pytest.mark.parametrize("annotation", hostile.ANNOTATIONS)
def test_the_sample_accepts_a_hostile_value_as_text(annotation: str, value: str) -> None:
    assert hostile.find_structure_change(bundles.sample(), annotation, value) is None


def test_the_sample_rejects_a_value_that_changes_its_structure() -> None:
    """The test above would pass if nothing were ever refused."""
    assert hostile.refused_values(bundles.sample()) >= hostile.MUST_BE_REFUSED


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
def test_all_text_of_the_author_is_guarded(given: Object, named: str) -> None:
    with pytest.raises(UserError) as caught:
        inject_pod(bundles.template_injector(PLAIN), given)

    assert str(caught.value).startswith(named)


DELIBERATE = """
metadata:
  annotations:
    first: {{ (split "," (annotation .ObjectMeta "list" "x"))._0 }}
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
def test_structure_that_a_template_decodes_is_accepted(
    annotations: dict[str, JSON],
) -> None:
    inject_pod(bundles.template_injector(DELIBERATE), app(annotations))


@pytest.mark.parametrize("annotations", REFUSED, ids=str)
def test_structure_next_to_decoded_structure_is_rejected(annotations: dict[str, JSON]) -> None:
    (name,) = annotations
    with pytest.raises(UserError, match=f"annotation {name}: "):
        inject_pod(bundles.template_injector(DELIBERATE), app(annotations))


def test_a_decoder_can_make_syntax_of_letters() -> None:
    from base64 import b64encode

    template = 'spec: {nodeName: {{ annotation .ObjectMeta "x" "" | b64dec }} }'
    injector = bundles.template_injector(template)
    good, bad = (b64encode(text).decode() for text in (b"node", b"a, hostNetwork: true"))

    inject_pod(injector, app({"x": good}))
    with pytest.raises(UserError, match="annotation x: "):
        inject_pod(injector, app({"x": bad}))


def test_a_template_that_fails_for_masked_values_is_checked_with_the_value() -> None:
    template = """
{{ if ne (annotation .ObjectMeta "x" "") "a: b" }}{{ fail "only a: b" }}{{ end }}
"""
    inject_pod(bundles.template_injector(template), app({"x": "a: b"}))


def test_a_digest_of_the_pod_does_not_change_the_structure() -> None:
    template = """
metadata:
  annotations:
    digest: {{ toJson .ObjectMeta.Annotations | sha256sum }}
    length: "{{ len (annotation .ObjectMeta "x" "") }}"
"""
    done = inject_pod(bundles.template_injector(template), app({"x": "a: é\n"}))

    assert pod_annotations(done)["length"] == "6"


FAULTS: tuple[tuple[dict[str, JSON], str], ...] = (
    # annotation, type of the error
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
def test_a_template_that_fails_for_one_pod_only_is_a_user_error(
    annotations: dict[str, JSON], named: str
) -> None:
    more: dict[str, JSON] = {"before": "x", "later": "y: z"}
    with pytest.raises(UserError) as caught:
        inject_pod(bundles.template_injector(TYPED), app({**more, **annotations}))

    assert str(caught.value).startswith(named)


BROKEN = (
    "spec: {{ .Missing }}",
    "spec: [",
    "- a list",
    "spec: {containers: 5}",
    "{{ range untilStep 0 2000000 1 }}x{{ end }}",
)


@pytest.mark.parametrize("template", BROKEN)
def test_a_template_that_always_fails_is_an_operator_error(template: str) -> None:
    with pytest.raises(OperatorError):
        inject_pod(bundles.template_injector(template), app({"a": "b: c"}))
