"""Names that YAML does not read as text: templates that write them without quotes are warned of."""

import pytest

from podgraft.core import bundle, policy, trial
from support.broken_bundles import Files, container, overlay, sample

READ = policy.parse("")
NAMED = (
    "spec:\n  containers:\n  {{- range .Spec.Containers }}\n  - name: {{ .Name%s }}\n  {{- end }}\n"
)
PORT = 'index .ObjectMeta.Annotations "example.com/port"'
IMAGE = "registry.example.com/agent:1"


def env(value: str) -> str:
    return container(IMAGE) + f"    env:\n    - name: VALUE\n      value: {value}\n"


UNQUOTED: dict[str, Files] = {
    "name of a container": overlay(NAMED % ""),
    "name in a Deployment": overlay(
        "spec:\n  template:\n    spec:\n      containers:\n"
        "      {{- range .Spec.Template.Spec.Containers }}\n"
        "      - name: {{ .Name }}\n      {{- end }}",
        ("deployments",),
    ),
    "name of the object": overlay(env("{{ .ObjectMeta.Name }}")),
    "label": overlay(env("{{ .ObjectMeta.Labels.app | default `x` }}")),
    "annotation": overlay(env(f"{{{{ {PORT} }}}}")),
    "service account": overlay(env("{{ .Spec.ServiceAccountName }}")),
    "default": overlay(env(f'{{{{ {PORT} | default "x" }}}}')),
}

QUOTED: dict[str, Files] = {
    "name of a container": overlay(NAMED % " | quote"),
    "name of the object": overlay(env('"{{ .ObjectMeta.Name }}"')),
    "label": overlay(env("{{ .ObjectMeta.Labels.app | toJson }}")),
    "part of a text": overlay(env("the {{ .ObjectMeta.Labels.app }}")),
    "port": overlay(
        container(IMAGE) + f"    ports: [{{containerPort: {{{{ {PORT} | default 80 }}}}}}]"
    ),
    "number": overlay(env(f"{{{{ add (atoi ({PORT})) 1 | quote }}}}")),
    "of another kind": overlay("data: {a: {{ .ObjectMeta.Name | quote }}}", ("configmaps",)),
}


def report(files: Files) -> trial.Report:
    return trial.check_bundle(bundle.compile_(files, READ), READ)


@pytest.mark.parametrize("files", UNQUOTED.values(), ids=UNQUOTED)
def test_text_without_quotes_is_a_warning(files: Files) -> None:
    found = report(files)
    assert not found.errors
    (warning,) = found.warnings
    assert warning.is_warning
    assert warning.remedy == "quote the action that writes it, such as {{ .Name | quote }}"


@pytest.mark.parametrize("files", QUOTED.values(), ids=QUOTED)
def test_other_text_is_not_a_warning(files: Files) -> None:
    found = report(files)
    assert [each for each in found.warnings if "quote the action" in each.remedy] == []


def test_istio_templates_are_tried() -> None:
    name = "{{ (index .Spec.Containers 0).Name }}"
    files = sample({"metadata:\n": f"metadata:\n      generateName: {name}\n"})
    (warning,) = report(files).warnings
    assert "names of containers such as on" in str(warning)
