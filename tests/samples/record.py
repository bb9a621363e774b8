"""Record the goldens of the injectors that samples replace, from clones of their repositories.

python tests/samples/record.py eks-pod-identity CLONE > tests/samples/goldens/eks-pod-identity.jsonl
python tests/samples/record.py opentelemetry-agents CLONE > …/opentelemetry-agents.jsonl
python tests/samples/record.py linkerd CLONE > tests/samples/goldens/linkerd.jsonl

A row has the object, the values that replace those of the sample, and the golden: the complete pod,
or for OpenTelemetry the part that its test asserts. The first line is the origin.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from podgraft.base.jsonvalue import JSON
from podgraft.kube import patch, yaml

_EKS = "pkg/handler/testdata"
_TESTING = "testing.eks.amazonaws.com"
# A volume mount without its required path, and a null that only Go's encoder writes.
_EKS_SKIPPED = ("rawPodHasVolumeMount", "rawPodWithGRPC")
_OTEL = "tests/e2e-instrumentation/instrumentation"
_LINKERD = "cli/cmd/testdata/inject"
_LINKERD_CASES = {  # the golden and its input
    "emojivoto_pod": "emojivoto_pod",
    "emojivoto_statefulset": "emojivoto_statefulset",
    "contour": "contour",
    "emojivoto_deployment_udp": "emojivoto_deployment_udp",
    "emojivoto_deployment_empty_resources": "emojivoto_deployment_empty_resources",
    "emojivoto_deployment_opaque_ports": "emojivoto_deployment",
    "emojivoto_pod_with_requests": "emojivoto_pod_with_requests",
    "emojivoto_pod_proxyignores": "emojivoto_pod",
    "emojivoto_pod_ingress": "emojivoto_pod",
}


class Clone:
    """The newest commit of a repository."""

    def __init__(self, path: str) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        line = ["git", "-C", self.path, *arguments]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def documents(self, name: str) -> list[Any]:
        return [*yaml.load_all(self.git("show", f"HEAD:{name}"))]

    def names(self, folder: str) -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", "HEAD", folder).splitlines()


def record_eks(clone: Clone) -> Iterator[dict[str, Any]]:
    """The pods of the unit tests, whose annotations have settings and the expected patch."""
    for name in clone.names(_EKS):
        if any(skipped in name for skipped in _EKS_SKIPPED):
            continue
        (pod,) = clone.documents(name)
        annotations = pod["metadata"]["annotations"]
        said = {
            key.removeprefix(f"{_TESTING}/"): annotations.pop(key)
            for key in [*annotations]
            if key.startswith(_TESTING)
        }
        want = patch.apply(pod, json.loads(said["expectedPatch"]))
        case = name.removeprefix(f"{_EKS}/").removesuffix(".pod.yaml")
        yield {"name": case, "object": pod, "values": _eks_values(said), "want": want}


def _eks_values(said: dict[str, str]) -> dict[str, Any]:
    flag = said.get("serviceAccount/sts-regional-endpoints", said.get("handler/injectSTS", ""))
    expiration = said.get("serviceAccount/token-expiration", said.get("handler/expiration"))
    known = {"expiration": int(expiration)} if expiration else {}
    credentials = {
        key: said[f"containercredentials/{name}"]
        for key, name in (
            *(("uri", "uri"), ("audience", "audience"), ("mountPath", "mountPath")),
            *(("volume", "volumeName"), ("path", "tokenPath")),
        )
        if f"containercredentials/{name}" in said
    }
    return {
        "region": said.get("handler/region", ""),
        "regionalEndpoints": flag == "true",
        "roles": {"default/default": said.get("serviceAccount/roleArn", "")},
        "webIdentity": {**known, "audience": said.get("serviceAccount/audience", "")},
        "identities": ["default/default"] if credentials else [],
        "podIdentity": {**known, **credentials},
    }


def record_opentelemetry(clone: Clone) -> Iterator[dict[str, Any]]:
    """The pods that the end-to-end tests assert; not those of Alpine's libraries."""
    for language in ("java", "nodejs", "python", "dotnet"):
        for kind in ("", "-multicontainer", "-initcontainer"):
            folder = f"{_OTEL}-{language}{kind}"
            documents = clone.documents(f"{folder}/00-install-instrumentation.yaml")
            (spec,) = (each["spec"] for each in documents)
            values = {
                "endpoint": spec["exporter"]["endpoint"],
                "propagators": ",".join(spec["propagators"]),
                "env": spec.get("env", []),
                language: {"env": spec.get(language, {}).get("env", [])},
            }
            for step in ("01", "02"):
                if f"{folder}/{step}-assert.yaml" in clone.names(folder):
                    name = f"{language}{kind}-{step}"
                    value = clone.documents(f"{folder}/{step}-install-app.yaml")[0]
                    asserted = clone.documents(f"{folder}/{step}-assert.yaml")
                    (pod,) = (each for each in asserted if each["kind"] == "Pod")
                    want = _read_assertions({key: pod[key] for key in ("metadata", "spec")})
                    yield {"name": name, "object": value, "values": values, "want": want}


def record_linkerd(clone: Clone) -> Iterator[dict[str, Any]]:
    """The first workload of each golden; options of the command are annotations of the pod."""
    for golden, name in _LINKERD_CASES.items():
        value = clone.documents(f"{_LINKERD}_{name}.input.yml")[0]
        template = _template_of(clone.documents(f"{_LINKERD}_{golden}.golden.yml")[0])
        annotations = template["metadata"]["annotations"]
        proxy = template["spec"]["initContainers"][1]
        (anchors,) = (each["value"] for each in proxy["env"] if each["name"].endswith("ANCHORS"))
        options = {key: text for key, text in annotations.items() if re.match("config|.*/inj", key)}
        target = _template_of(value)
        target.setdefault("metadata", {}).setdefault("annotations", {}).update(options)
        yield {
            "name": golden,
            "object": value,
            "values": {
                "version": annotations["linkerd.io/proxy-version"],
                "createdBy": annotations["linkerd.io/created-by"],
                "trustAnchors": anchors,
            },
            "want": {key: template[key] for key in ("metadata", "spec")},
        }


def _template_of(value: dict[str, Any]) -> dict[str, Any]:
    return value if value["kind"] == "Pod" else value["spec"]["template"]


def _read_assertions(value: JSON) -> JSON:
    """An assertion of Chainsaw without its expressions, except for texts that it must contain."""
    if isinstance(value, list):
        return [_read_assertions(each) for each in value]
    if not isinstance(value, dict):
        return value
    parts: list[list[str]] = [re.findall(r"^\( contains\(@, '([^']*)'\) \)$", key) for key in value]
    if any(parts):
        return {"contains": {text: True for part in parts for text in part}}
    return {
        "containers" if key.startswith("(containers") else key: _read_assertions(each)
        for key, each in value.items()
    }


_RECORDERS: dict[str, tuple[str, Callable[[Clone], Iterator[dict[str, Any]]]]] = {
    "eks-pod-identity": ("aws/amazon-eks-pod-identity-webhook", record_eks),
    "opentelemetry-agents": ("open-telemetry/opentelemetry-operator", record_opentelemetry),
    "linkerd": ("linkerd/linkerd2", record_linkerd),
}

if __name__ == "__main__":
    repository, record = _RECORDERS[sys.argv[1]]
    source = Clone(sys.argv[2])
    commit = source.git("rev-parse", "HEAD").strip()
    origin = {"repository": f"github.com/{repository}", "commit": commit, "license": "Apache-2.0"}
    for row in (origin, *record(source)):
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
