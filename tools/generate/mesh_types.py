"""Write ``core/injectors/istio/config/mesh.json``, the table of Istio's mesh messages.

    tools/generate/mesh_types.py           # write it
    tools/generate/mesh_types.py --check   # fail if it differs from the data

What it reads is ``tools/generate/data/istio/mesh-types.json``: the messages that MeshConfig and
ProxyConfig reach, of one recent Istio, in declaration order. ``_OTHERS`` adds the fields of other
releases where those stand, so that one table serves all; which release has which is said in
``releases.py``.
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
_DATA = _ROOT / "tools/generate/data/istio/mesh-types.json"
TARGET = _ROOT / "layers/engine/podgraft/core/injectors/istio/config/mesh.json"

_WELL_KNOWN = {
    "google.protobuf.Duration": "durationpb.Duration",
    "google.protobuf.Struct": "structpb.Struct",
} | {
    f"google.protobuf.{wrapped}Value": f"wrapperspb.{wrapped}Value"
    for wrapped in ("Bool", "Int32", "Int64", "UInt32", "UInt64")
}

# message → [(the field it stands after, name, type)]; from istio/api of 1.0 to 1.8 and 1.32.
_OTHERS: dict[str, list[tuple[str, str, str]]] = {
    "v1alpha1.ProxyConfig": [
        ("drain_duration", "parent_shutdown_duration", "durationpb.Duration"),
        ("zipkin_address", "connect_timeout", "durationpb.Duration"),
        ("stat_name_length", "concurrency", "int32"),
    ],
    "v1alpha1.MeshConfig": [
        ("default_http_retry_policy", "default_inbound_http_retry_policy", "v1alpha3.HTTPRetry"),
        ("default_config", "sds_uds_path", "string"),
        ("default_config", "enable_sds_token_mount", "bool"),
    ],
    "v1alpha1.Tracing_Lightstep": [
        ("access_token", "secure", "bool"),
        ("access_token", "cacert_path", "string"),
    ],
    "v1alpha3.ClientTLSSettings": [("credential_name", "ca_cert_credential_name", "string")],
    "v1alpha3.OutlierDetection": [
        (
            "outlier_detection_http_error_codes",
            "failure_percentage_threshold",
            "wrapperspb.UInt32Value",
        )
    ],
}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table, or compare it; print the next step."""
    return write_or_compare(argv, TARGET, make_table(), "tests/core/injectors/istio")


def make_table() -> str:
    """The text of the table."""
    described: dict[str, Any] = json.loads(_DATA.read_text(encoding="utf-8"))
    enums = {
        _go_name(name): " ".join(f"{member['name']}={member['number']}" for member in members)
        for name, members in described["enums"].items()
    }
    messages = {
        _go_name(name): [" ".join(filter(None, row)) for row in _rows(_go_name(name), fields)]
        for name, fields in described["messages"].items()
    }
    return json.dumps({"enums": enums, "messages": messages}, indent=1) + "\n"


def _rows(message: str, fields: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for field in fields:
        shape = "[]" if field.get("repeated") else ""
        yield field["name"], shape + _type(field["type"]), field.get("oneof", "")
        for after, name, type_ in _OTHERS.get(message, ()):
            if after == field["name"]:
                yield name, type_


def _type(described: str) -> str:
    """A field's type in our table: ``map<string,X>`` becomes ``map[string]X``, names Go's."""
    if described.startswith("map<string,"):
        return f"map[string]{_type(described.removeprefix('map<string,').removesuffix('>'))}"
    return _WELL_KNOWN.get(described) or (_go_name(described) if "." in described else described)


def _go_name(proto: str) -> str:
    """``istio.mesh.v1alpha1.Tracing.Zipkin`` is ``v1alpha1.Tracing_Zipkin`` in Go."""
    parts = proto.split(".")
    package = next(i for i, part in enumerate(parts) if re.fullmatch("v[0-9][a-z0-9]*", part))
    return f"{parts[package]}.{'_'.join(parts[package + 1 :])}"


if __name__ == "__main__":
    sys.exit(main())
