"""Write ``kube/types.json``, the table of Kubernetes' Go types.

    tools/generate/kube_types.py           # write it
    tools/generate/kube_types.py --check   # fail if it differs from the data

What it reads, all in ``tools/generate/data/kube``:

- ``go-types.json``: the types of pods and namespaces, of k8s.io/api 0.37
- ``workloads.json``: the types of workloads, in the same form, made by ``kube_history``
- ``history.json``: when fields came and which ones went, made by ``kube_history``
- ``print-order.json``: the fields as the method String prints them (generated.pb.go of 0.37), for
  structs whose declaration has another order
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from generated_module import write_or_compare

_ROOT = Path(__file__).resolve().parents[2]
_DATA = _ROOT / "tools/generate/data/kube"
TARGET = _ROOT / "layers/engine/podgraft/kube/types.json"

# The module proxy has no k8s.io/api before 0.17: these are from CHANGELOG-1.11 to CHANGELOG-1.16.
_OLDER = {
    "ContainerStatus.Started": 16,
    "Container.StartupProbe": 16,
    "ManagedFieldsEntry.FieldsType": 16,
    "ManagedFieldsEntry.FieldsV1": 16,
    "NodeSelectorTerm.MatchFields": 11,
    "ObjectMeta.ManagedFields": 14,
    "PersistentVolumeClaimSpec.DataSource": 12,
    "PodSecurityContext.Sysctls": 11,
    "PodSecurityContext.WindowsOptions": 14,
    "PodSpec.EnableServiceLinks": 13,
    "PodSpec.EphemeralContainers": 16,
    "PodSpec.Overhead": 16,
    "PodSpec.PreemptionPolicy": 15,
    "PodSpec.ReadinessGates": 11,
    "PodSpec.RuntimeClassName": 12,
    "PodSpec.TopologySpreadConstraints": 16,
    "PodStatus.EphemeralContainerStatuses": 16,
    "PodStatus.PodIPs": 16,
    "QuobyteVolumeSource.Tenant": 15,
    "SecurityContext.ProcMount": 12,
    "SecurityContext.WindowsOptions": 14,
    "VolumeMount.SubPathExpr": 14,
    "VolumeProjection.ServiceAccountToken": 11,
    "VolumeSource.CSI": 14,
    "WindowsSecurityContextOptions.RunAsUserName": 16,
}

# Named strings outside the packages that the data describes.
_EXTERNAL_SCALARS = ("types.UID", "ManagedFieldsOperationType", "LabelSelectorOperator")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table, or compare it; print the next step."""
    return write_or_compare(argv, TARGET, make_table(), "tests/kube")


def make_table() -> str:
    """The text of ``kube/types.json``: ``kube/types.py`` describes a row."""
    types, workloads, history = map(_load, ("go-types", "workloads", "history"))
    history["print"] = _load("print-order")
    scalars = sorted({*types["scalars"], *workloads["scalars"], *_EXTERNAL_SCALARS})
    structs = types["structs"] | history["structs"] | workloads["structs"]
    rows = {name: [*_lines(name, fields, history)] for name, fields in structs.items()}
    return json.dumps({"scalars": scalars, "structs": rows}, indent=0) + "\n"


def _load(name: str) -> dict[str, Any]:
    return json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))


def _lines(struct: str, fields: list[dict[str, Any]], history: dict[str, Any]) -> Iterator[str]:
    past = [*history["past"].get(struct, ())]
    for field in fields:
        path = f"{struct}.{field['go']}"
        for old in past:
            if old.get("before") == field["go"]:
                yield _line(old, struct, old.get("since", 0), history)
        since = history["since"].get(path) or _OLDER.get(path, 0)
        yield _line(field, struct, since, history)
    for old in past:
        if "before" not in old:
            yield _line(old, struct, old.get("since", 0), history)


def _line(field: dict[str, Any], struct: str, since: int, history: dict[str, Any]) -> str:
    words = [field["go"], _type(field["type"]), _tag(field, struct, history)]
    if field.get("patchStrategy"):
        words.append(f"patch={field['patchStrategy']}")
    if field.get("patchMergeKey"):
        words.append(f"key={field['patchMergeKey']}")
    if since:
        words.append(f"since={since}")
    if "until" in field:
        words.append(f"until={field['until']}")
    order: list[str] = history["print"].get(struct, [])
    if field["go"] in order:
        words.append(f"print={order.index(field['go'])}")
    return " ".join(words)


def _tag(field: dict[str, Any], struct: str, history: dict[str, Any]) -> str:
    current = "until" not in field
    options = {
        "omitempty": field["omitempty"],
        "omitzero": current and f"{struct}.{field['go']}" in history["omitzero"],
        "embedded": field.get("embedded", False),
    }
    return ",".join([field["json"], *(option for option, holds in options.items() if holds)])


def _type(spelled: str) -> str:
    return re.sub(r"\bmetav1\.", "", spelled)


if __name__ == "__main__":
    sys.exit(main())
