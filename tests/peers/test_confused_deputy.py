"""Guarantee: no document can make podgraft use rights that its author does not have.

Incidents: Kyverno CVE-2026-22039 (a namespaced policy uses the rights of the controller), Kyverno
CVE-2026-41323 (the controller sends its token to a URL of the policy), Capsule CVE-2026-22872.
podgraft has no rights in a cluster to misuse. These tests show that documents reach no socket, no
environment, no clock, and no key, by any route of the template language.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.injectors.hostile_templates import (
    Render,
    check_object,
    istio_renderer,
    make_injector,
    make_overlay,
    make_pod,
    render_overlay,
)
from podgraft.core.injectors.errors import InjectionError
from podgraft.core.review_context import ReviewContext
from podgraft.golang import sprig

ROOT = Path(__file__).parents[2]

# Everything between the HTTP request and the patch that an operator's document can influence.
PURE = {"podgraft.core", "podgraft.golang", "podgraft.kube"}
# F is the function.
ROUTES = (
    "{{ F }}",
    "{{ F `a` }}",
    "{{ `a` | F }}",
    "{{ `a` | quote | F | quote }}",
    "{{ (F) }}",
    "{{ $x := F }}{{ $x }}",
    "{{ if F }}a{{ end }}",
    "{{ if false }}{{ F }}{{ end }}",
    "{{ range F }}{{ end }}",
    "{{ with F }}{{ end }}",
    "{{ define `t` }}{{ F }}{{ end }}{{ template `t` . }}",
    "{{ define `t` }}{{ define `u` }}{{ F }}{{ end }}{{ end }}x",
    "{{ block `t` . }}{{ F }}{{ end }}",
    "{{ printf `%v` (F) }}",
    "{{ call F }}",
    "{{ call (F) `a` }}",
    "{{ ternary (F) `a` true }}",
    "{{ include `F` . }}",
    "{{ tpl `{{ F }}` . }}",
)
# Istio's templates have a function of this name; it reads features.env of the policy alone.
ISTIO_ENV = "env"


def make_template(expression: str) -> str:
    return f"spec:\n  containers:\n  - name: agent\n    image: a\n    args:\n    - {expression}\n"


def render_args(render: Render, expression: str) -> Any:
    """The arguments of the container that the template adds to a plain pod."""
    spec: Any = check_object(render(make_template(expression), make_pod({}))["spec"])
    return next(each["args"] for each in spec["containers"] if each["name"] == "agent")


def test_the_import_contract_separates_documents_from_the_network() -> None:
    """lint-imports checks the contract; this test checks that the contract says so."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [contract] = [
        each for each in contracts["contracts"] if each["name"].startswith("Only the store touches")
    ]
    assert set(contract["source_modules"]) >= PURE
    assert {"boto3", "botocore", "os", "random", "socket", "time", "urllib"} <= set(
        contract["forbidden_modules"]
    )


@pytest.mark.parametrize("name", sorted(sprig.UNSUPPORTED))
def test_an_overlay_reaches_no_excluded_function(name: str) -> None:
    for route in ROUTES:
        template = make_template(route.replace("F", name))
        with pytest.raises(AssertionError, match="does not parse"):
            make_overlay.__wrapped__(template)


@pytest.mark.parametrize("release", ["1.8", "1.13", "1.30"])
@pytest.mark.parametrize("name", sorted({*sprig.UNSUPPORTED} - {ISTIO_ENV}))
def test_an_istio_template_reaches_no_excluded_function(name: str, release: str) -> None:
    for route in ROUTES:
        template = make_template(route.replace("F", name))
        with pytest.raises(InjectionError):
            inject(template, release)


def inject(template: str, release: str) -> None:
    injector = make_injector.__wrapped__(template, release)
    injector.inject(make_pod({}), ReviewContext(namespace="shop"))


@pytest.mark.parametrize("name", sorted({*sprig.UNSUPPORTED} - {ISTIO_ENV}))
def test_a_text_that_is_rendered_as_a_template_reaches_none(name: str) -> None:
    for route in ROUTES:
        expression = f"{{{{ render {_quote(route, name)} | quote }}}}"
        assert render_args(istio_renderer("1.13"), expression) == [""], route


def _quote(route: str, name: str) -> str:
    return '"' + route.replace("F", name).replace("`", "'") + '"'


def test_env_of_istio_reads_the_policy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    expression = '{{ env "AWS_SECRET_ACCESS_KEY" "none" }}'
    assert render_args(istio_renderer("1.30"), expression) == ["none"]


@pytest.mark.parametrize(
    "expression",
    [
        "{{ .Object.__class__ }}",
        "{{ .Spec.Containers.__class__ }}",
        "{{ .ObjectMeta.Annotations.keys }}",
        "{{ .Namespace.format }}",
        "{{ (index .Spec.Containers 0).__init__ }}",
        "{{ .Values.__globals__ }}",
        "{{ quote.__globals__ }}",
    ],
)
def test_no_attribute_of_python_is_a_field(expression: str) -> None:
    """A map without the key gives no value; a Python object is never reachable."""
    try:
        args = render_args(render_overlay, expression)
    except (AssertionError, InjectionError):
        return
    assert args in (None, [None], [""], ["<no value>"])
