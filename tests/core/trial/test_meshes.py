"""App Mesh in a trial: meshes that can select one pod, and templates that work for none."""

import json
from typing import Any

import pytest

from podgraft.core import bundle, policy, trial

READ = policy.parse("")
PATCH = "containers:\n- name: envoy\n  image: {image}\n"


def files(*selectors: Any, image: str = "registry.example.com/envoy:1") -> dict[str, bytes]:
    template = PATCH.replace("{image}", image)
    documents: list[Any] = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "patch", "namespace": "mesh"},
            "data": {"patch": template},
        }
    ]
    for index, selector in enumerate(selectors):
        spec = {
            "enableAutoInject": True,
            "region": "eu-west-1",
            "virtualNodeLabel": "node",
            "sidecarPatchConfigMap": {"name": "patch", "namespace": "mesh"},
            "injectionSelector": selector,
        }
        documents.append(
            {
                "apiVersion": "supergloo.solo.io/v1",
                "kind": "Mesh",
                "metadata": {"name": f"m{index}", "namespace": "mesh"},
                "spec": {"awsAppMesh": spec},
            }
        )
    return {f"{index}.yaml": json.dumps(each).encode() for index, each in enumerate(documents)}


def labels(**labels: str) -> Any:
    return {"labelSelector": {"labelsToMatch": labels}}


def namespaces(*names: str) -> Any:
    return {"namespaceSelector": {"namespaces": [*names]}}


def report(content: dict[str, bytes]) -> trial.Report:
    return trial.check_bundle(bundle.compile_(content, READ), READ)


@pytest.mark.parametrize(
    ("first", "second", "errors", "warnings"),
    [
        (labels(app="a"), labels(app="a"), 1, 0),
        (labels(app="a"), labels(app="a", tier="b"), 1, 0),
        (labels(), labels(app="a"), 1, 0),
        (labels(), namespaces("shop"), 1, 0),
        (namespaces("shop"), namespaces("shop", "bank"), 1, 0),
        (labels(app="a"), labels(tier="b"), 0, 1),
        (labels(app="a"), namespaces("shop"), 0, 1),
        (namespaces("shop", "x"), namespaces("shop", "bank"), 0, 1),
        (labels(app="a"), labels(app="b"), 0, 0),
        (namespaces("shop"), namespaces("bank"), 0, 0),
        (namespaces(), labels(app="a"), 0, 0),
    ],
)
def test_two_meshes_that_can_select_one_pod_are_reported(
    first: Any, second: Any, errors: int, warnings: int
) -> None:
    for pair in ((first, second), (second, first)):
        found = report(files(*pair))
        assert (len(found.errors), len(found.warnings)) == (errors, warnings)
        for fault in (*found.errors, *found.warnings):
            assert (fault.document, fault.pointer) == (
                "2.yaml",
                "/spec/awsAppMesh/injectionSelector",
            )
            assert "podgraft denies" in fault.problem
        assert all(warning.is_warning for warning in found.warnings)


@pytest.mark.parametrize("selector", [labels(app="a"), namespaces("shop")])
def test_a_mesh_is_tried_with_a_pod_that_it_selects(selector: Any) -> None:
    (error,) = report(files(selector, image="/envoy")).errors
    assert "sets the invalid image" in error.problem
    assert not report(files(selector)).errors
    (error,) = report(files(selector, image="{{ if false }}{{ .Nod }}{{ end }}a:1")).errors
    assert "TemplateData has no field Nod" in error.problem
