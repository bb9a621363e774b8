"""Every recorded merge of kube-apiserver's apply configurations, given again without Go."""

import pytest

from oracle import program
from oracle.mutation.merges import FIXTURE, answer, differs, go_answer
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube.structured import StructuredError, merge, release_schema
from support.corpus import assert_corpus

ROWS = program.load_rows(FIXTURE)


def test_the_fixture_is_as_large_as_it_was() -> None:
    assert len(ROWS) >= 800
    assert len([row for row in ROWS if "error" in row]) >= 100


def test_every_recorded_patch_merges_as_in_kube_apiserver() -> None:
    rows = [row for row in ROWS if differs(row)]
    if rows:
        assert_corpus(rows, expected=go_answer, actual=answer)


def test_an_element_without_its_key_has_the_default_key() -> None:
    schema = release_schema()
    ref = schema.find_kind("v1", "Pod")
    assert ref is not None
    live = _pod([{"name": "web", "ports": [{"containerPort": 80, "protocol": "TCP"}]}])
    patch = _pod([{"name": "web", "ports": [{"containerPort": 80, "name": "http"}]}])
    merged = merge(schema, live, patch, ref)
    port: JSON = {"containerPort": 80, "protocol": "TCP", "name": "http"}
    assert merged == _pod([{"name": "web", "ports": [port]}])


@pytest.mark.parametrize(("minor", "merges"), [(30, True), (31, False), (37, False)])
def test_the_types_are_those_of_the_release(minor: int, merges: bool) -> None:
    schema = release_schema(minor)
    ref = schema.find_kind("networking.k8s.io/v1", "Ingress")
    assert ref is not None
    port: Object = {"service": {"name": "web", "port": {"number": 80}}}
    patch: Object = {"spec": {"defaultBackend": port}}
    if merges:
        assert merge(schema, {}, patch, ref) == patch
    else:
        with pytest.raises(
            StructuredError, match=r"atomic .*: \.spec\.defaultBackend\.service\.port$"
        ):
            merge(schema, {}, patch, ref)


def test_a_kind_is_there_from_its_release_on() -> None:
    kind = ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy")
    assert release_schema(35).find_kind(*kind) is None
    assert release_schema(36).find_kind(*kind) is not None


def _pod(containers: list[JSON]) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers}}
