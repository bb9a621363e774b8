"""Mutating policies in a trial: the privileges that they add, and objects that they deny."""

from collections.abc import Mapping

import pytest

from podgraft.core import bundle, policy, trial
from support.mutating_policies import PRIVILEGED, label, make_bundle

WANTED = "has(object.metadata.labels) && object.metadata.labels[?'root'].orValue('') == 'yes'"
TEAM = "object.metadata.labels.team"
HOST = "[JSONPatch{op: 'add', path: '/spec/template/spec/hostNetwork', value: true}]"
PARAMETER = b"""
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: shop}
data: {a: b}
"""


def try_bundle(files: Mapping[str, bytes], document: str = "") -> trial.Report:
    read = policy.parse(document)
    return trial.check_bundle(bundle.compile_(files, read), read)


@pytest.mark.parametrize("condition", ["", WANTED])
def test_an_unlisted_privilege_is_an_error(condition: str) -> None:
    files = make_bundle(PRIVILEGED, condition=condition)
    unlisted = [*map(str, try_bundle(files, "allows: {}").unlisted)]
    assert unlisted[0] == (
        "policy.yaml, document 1 /spec/mutations: container web is privileged; list it under "
        "allows.privileged in the policy, or remove it"
    )
    assert not try_bundle(files, "allows: {privileged: [web, api, db, report]}").unlisted
    assert "container web is privileged" in map(str, try_bundle(files).privileges)


def test_privileges_are_found_for_workloads_too() -> None:
    files = make_bundle(HOST, resources=("deployments",))
    (unlisted,) = try_bundle(files, "allows: {}").unlisted
    assert "the pod uses the host namespace hostNetwork" in str(unlisted)


def test_a_policy_that_denies_every_probe_is_a_warning() -> None:
    (warning,) = try_bundle(make_bundle(label("team", TEAM))).warnings
    assert str(warning).startswith(
        "policy.yaml, document 1 /spec/mutations: denies every probe Pod: policy 'p' with binding"
    )
    assert not try_bundle(make_bundle(label("team", TEAM), failurePolicy="Ignore")).warnings
    guarded = make_bundle(label("team", TEAM), condition="has(object.metadata.labels.team)")
    assert not try_bundle(guarded).errors


def test_a_policy_is_tried_in_the_namespaces_of_its_parameters() -> None:
    files = make_bundle(
        label("a", "params.data.a"), paramKind={"apiVersion": "v1", "kind": "ConfigMap"}
    )
    text = files["policy.yaml"].replace(
        b'"policyName": "p"',
        b'"policyName": "p", "paramRef": {"name": "config", "parameterNotFoundAction": "Deny"}',
    )
    report = try_bundle({"policy.yaml": text, "config.yaml": PARAMETER})
    assert not report.errors
    assert not report.warnings
    (warning,) = try_bundle({"policy.yaml": text}).warnings
    assert warning.remedy.startswith("add the parameter to the bundle")


def test_a_kind_without_a_known_type_is_not_tried() -> None:
    assert not try_bundle(make_bundle("Object{}", resources=("widgets",))).warnings
