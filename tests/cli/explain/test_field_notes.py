"""explain notes fields with which kube-apiserver rejects an object, and has no note for others."""

from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.cli.explain.hints import find_field_notes
from podgraft.kube import yaml

SAMPLES = Path(__file__).parents[3] / "samples"
POD = "apiVersion: v1, kind: Pod, metadata: {name: a}"
DEPLOYMENT = "apiVersion: apps/v1, kind: Deployment, metadata: {name: a}"

NOTES = (
    (f"{{{POD}, spec: {{containers: [{{name: a, image: b}}]}}}}", ()),
    (
        f"{{{POD}, spec: {{container: [{{name: a}}]}}}}",
        (
            'unknown field "spec.container"; did you mean containers?',
            "spec.containers: is missing, so kube-apiserver rejects the object",
        ),
    ),
    (
        f"{{{POD}, spec: {{containers: [{{name: a, ports: [{{containerport: 1}}]}}]}}}}",
        ('unknown field "spec.containers[0].ports[0].containerport"; did you mean containerPort?',),
    ),
    (
        (
            f"{{{POD}, status: {{phase: Running}}, spec: {{containers: [{{name: a, "
            "resources: {limits: {cpu: 1}}, livenessProbe: {httpGet: {port: http}}}]}}"
        ),
        (),
    ),
    (
        f"{{{DEPLOYMENT}, spec: {{template: {{spec: {{containers: []}}}}, xyz: 1}}}}",
        (
            'unknown field "spec.xyz"; Kubernetes 1.37 drops it',
            "spec.template.spec.containers: is missing, so kube-apiserver rejects the object",
        ),
    ),
    ("{apiVersion: example.com/v1, kind: Widget, spec: {container: 1}}", ()),
)


@pytest.mark.parametrize(("document", "notes"), NOTES)
def test_each_unknown_or_missing_field_has_a_note(document: str, notes: tuple[str, ...]) -> None:
    value = yaml.load(document)
    assert isinstance(value, dict)
    assert tuple(find_field_notes(value)) == notes


def objects_of_samples() -> list[Object]:
    files = [*SAMPLES.glob("*/input.*.yaml"), *SAMPLES.glob("*/want.*.yaml")]
    documents = (value for file in files for value in yaml.load_all(file.read_text()))
    return [value for value in documents if isinstance(value, dict) and "kind" in value]


def test_no_object_of_the_samples_has_a_note() -> None:
    assert len(objects_of_samples()) > 30
    for value in objects_of_samples():
        assert tuple(find_field_notes(value)) == (), value["metadata"]


def test_explain_prints_the_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(f"{{{POD}, spec: {{container: [{{name: a}}]}}}}")

    cli.main(["explain", "-f", str(path), "--config", str(SAMPLES / "istio" / "bundle")])

    assert 'warning: unknown field "spec.container"; did you mean' in capsys.readouterr().out
