"""The samples that replace an injector of a vendor give the pods of its tests.

``record.py`` recorded them. What a file cannot express is in the values of the sample: the
annotations of a ServiceAccount, an Instrumentation object, and options of a command.
"""

import json
import re
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from podgraft.base.jsonvalue import JSON, Object, object_at, objects_at
from podgraft.cli.explain.pod_source import to_explained_pod
from podgraft.core.injectors.overlay.overlay import Overlay, parse_overlay
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.golang import sprig
from podgraft.kube import yaml

SAMPLES = Path(__file__).parents[2] / "samples"
GOLDENS = Path(__file__).parent / "goldens"
TOKEN: Object = {
    "name": "token",
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    "readOnly": True,
}
CONTROLLER_LABELS = re.compile("-hash$|/pod-index$|/pod-name$")
DEFAULTS = (("apiVersion", "v1"), ("protocol", "TCP"))


def load_rows(sample: str) -> list[dict[str, Any]]:
    with (GOLDENS / f"{sample}.jsonl").open(encoding="utf-8") as lines:
        next(lines)
        return [json.loads(line) for line in lines]


def apply_overlay(sample: str, row: dict[str, Any]) -> Object:
    """The pod of a row after the overlay of a sample with the values of the row."""
    pod, namespace = make_pod(row["object"])
    if sample == "opentelemetry-agents":  # its tests run in a cluster
        spec = object_at(pod, "spec")
        for container in objects_at(spec, "initContainers") + objects_at(spec, "containers"):
            container["volumeMounts"] = [dict(TOKEN)]
    return load_overlay(sample, row["values"]).apply(pod, namespace, {})


def load_overlay(sample: str, values: Object) -> Overlay:
    """The overlay of a sample, with other values."""
    document = yaml.load((SAMPLES / sample / "bundle" / "overlay.yaml").read_text())
    assert isinstance(document, dict)
    spec: Object = {**object_at(document, "spec")}
    spec["values"] = update(object_at(spec, "values"), values)
    overlay = parse_overlay(Cursor(spec, "/spec", Diagnostics()), sample)
    assert overlay is not None
    return overlay


def update(old: Object, new: Object) -> Object:
    """The values with new ones; variables come before those of the sample."""
    merged = dict(old)
    for key, value in new.items():
        known = old.get(key)
        if isinstance(value, dict) and isinstance(known, dict) and key != "roles":
            merged[key] = update(known, value)
        elif key == "env" and isinstance(value, list) and isinstance(known, list):
            merged[key] = [*value, *known]
        else:
            merged[key] = value
    return merged


def make_pod(value: Object) -> tuple[Object, str]:
    """The pod of an object as webhooks get it, and its namespace."""
    explained = to_explained_pod(value, "default")
    pod = explained if explained.is_pod else explained.make_pod()
    return sprig.deep_copy(pod.object), pod.namespace


def normalize(value: JSON) -> JSON:
    """A value without what Go does not write, and without defaults of kube-apiserver."""
    if isinstance(value, list):
        return [normalize(each) for each in value]
    if not isinstance(value, dict):
        return value
    members = {key: normalize(each) for key, each in value.items()}
    return {
        key: each
        for key, each in members.items()
        if each not in ({}, [], None, "") and (key, each) not in DEFAULTS
    }


def visible_part(pod: Object) -> JSON:
    """What an injector can change, without the labels of controllers."""
    labels: Object = {
        key: text
        for key, text in object_at(pod, "metadata", "labels").items()
        if not CONTROLLER_LABELS.search(key)
    }
    annotations = object_at(pod, "metadata", "annotations")
    return normalize({"labels": labels, "annotations": annotations, "spec": pod["spec"]})


def find_difference(want: JSON, got: JSON, path: str) -> str | None:
    """The first path where an assertion fails; a list must be complete, a mapping need not."""
    if isinstance(want, dict) and "contains" in want and isinstance(got, str):
        missing = [part for part in object_at(want, "contains") if part not in got]
        return f"{path}: {missing}" if missing else None
    pairs: list[tuple[object, JSON, JSON]] = []
    if isinstance(want, dict) and isinstance(got, dict):
        pairs = [(key, each, got.get(key)) for key, each in want.items()]
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        pairs = list(zip(range(len(want)), want, got, strict=True))
    elif want != got:
        return f"{path}: {want} is {got}"
    found = (find_difference(each, other, f"{path}/{key}") for key, each, other in pairs)
    return next((difference for difference in found if difference), None)


@pytest.mark.parametrize("row", load_rows("eks-pod-identity"), ids=itemgetter("name"))
def test_the_pod_is_that_of_amazon_eks_pod_identity_webhook(row: dict[str, Any]) -> None:
    after = apply_overlay("eks-pod-identity", row)

    assert visible_part(after) == visible_part(row["want"])


@pytest.mark.parametrize("row", load_rows("linkerd"), ids=itemgetter("name"))
def test_the_pod_is_that_of_linkerd(row: dict[str, Any]) -> None:
    after = apply_overlay("linkerd", row)

    assert visible_part(after) == visible_part(row["want"])


@pytest.mark.parametrize("row", load_rows("opentelemetry-agents"), ids=itemgetter("name"))
def test_the_pod_is_what_the_opentelemetry_operator_asserts(row: dict[str, Any]) -> None:
    after = apply_overlay("opentelemetry-agents", row)

    assert find_difference(normalize(row["want"]), normalize(after), "") is None
