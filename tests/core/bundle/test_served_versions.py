"""Policies in a version that no cluster of the policy document serves."""

import pytest

from podgraft.core import policy
from podgraft.core.bundle import manifests, served_versions

DOCUMENT = """
apiVersion: admissionregistration.k8s.io/{version}
kind: {kind}
metadata: {{name: p}}
spec: {{}}
"""


def find_warnings(kind: str, version: str, document: str) -> list[tuple[str, bool]]:
    files = {"p.yaml": DOCUMENT.format(kind=kind, version=version).encode()}
    found = served_versions.find_warnings(manifests.parse_manifests(files), policy.parse(document))
    return [(str(each), each.is_warning) for each in found]


@pytest.mark.parametrize(
    ("kind", "version", "document", "message"),
    [
        ("MutatingAdmissionPolicy", "v1", "", ""),
        ("MutatingAdmissionPolicy", "v1beta1", "kubernetesRelease: '1.34'", ""),
        (
            "MutatingAdmissionPolicy",
            "v1",
            "kubernetesRelease: '1.34'",
            (
                "p.yaml /apiVersion: Kubernetes 1.34 does not serve MutatingAdmissionPolicy in "
                "admissionregistration.k8s.io/v1; use admissionregistration.k8s.io/v1beta1, or "
                "correct kubernetesRelease: 1.36 and later can serve it"
            ),
        ),
        (
            "MutatingAdmissionPolicyBinding",
            "v1",
            "kubernetesRelease: v1.30.2",
            (
                "p.yaml /apiVersion: Kubernetes 1.30 does not serve "
                "MutatingAdmissionPolicyBinding in "
                "admissionregistration.k8s.io/v1; correct kubernetesRelease: 1.36 and later can "
                "serve it"
            ),
        ),
        (
            "ValidatingAdmissionPolicy",
            "v1beta1",
            "{kubernetesRelease: '1.36', clusters: {old: {kubernetesRelease: '1.33'}}}",
            "",
        ),
        (
            "ValidatingAdmissionPolicy",
            "v1beta1",
            "{kubernetesRelease: '1.36', clusters: {old: {kubernetesRelease: '1.34'}}}",
            (
                "p.yaml /apiVersion: Kubernetes 1.34, 1.36 does not serve "
                "ValidatingAdmissionPolicy in "
                "admissionregistration.k8s.io/v1beta1; use admissionregistration.k8s.io/v1, or "
                "correct kubernetesRelease: 1.28 to 1.33 can serve it"
            ),
        ),
    ],
)
def test_a_version_that_no_release_serves_is_an_error(
    kind: str, version: str, document: str, message: str
) -> None:
    expected = [(message, False)] if message else []
    assert find_warnings(kind, version, document) == expected


def test_a_policy_that_clusters_can_evaluate_is_a_warning() -> None:
    document = "kubernetesRelease: '1.37'"
    assert find_warnings("MutatingAdmissionPolicy", "v1", document) == [
        (
            (
                "p.yaml: Kubernetes evaluates MutatingAdmissionPolicy p itself if it is "
                "applied; apply "
                "it to the cluster, or keep it in the bundle, but not both"
            ),
            True,
        )
    ]


@pytest.mark.parametrize("text", ["1.34", "'2.1'", "'1.34-eks'", "HEAD"])
def test_another_release_is_an_error_of_the_policy(text: str) -> None:
    with pytest.raises(policy.PolicyError, match="/kubernetesRelease: "):
        policy.parse(f"kubernetesRelease: {text}")
