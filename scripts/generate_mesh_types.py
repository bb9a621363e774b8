"""Write ``injection/istio/mesh_table.py`` from a description of Istio's mesh messages.

    scripts/generate_mesh_types.py istio-mesh-types.json > layers/engine/.../mesh_table.py

The description (JSON: ``enums`` by name, ``messages`` by name, fields in declaration order) is of
one recent Istio. ``_OTHERS`` adds the fields of other releases where those stand, so that one table
serves all; which release has which field is said in ``releases.py``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WELL_KNOWN = {
    "google.protobuf.Duration": "durationpb.Duration",
    "google.protobuf.Struct": "structpb.Struct",
} | {
    f"google.protobuf.{wrapped}Value": f"wrapperspb.{wrapped}Value"
    for wrapped in ("Bool", "Int32", "Int64", "UInt32", "UInt64")
}

# message → [(the field it stands after, name, type)]; from istio/api of 1.0, 1.8, 1.32.
_OTHERS: dict[str, list[tuple[str, str, str]]] = {
    "v1alpha1.ProxyConfig": [
        ("drain_duration", "parent_shutdown_duration", "durationpb.Duration"),
        ("zipkin_address", "connect_timeout", "durationpb.Duration"),
        ("stat_name_length", "concurrency", "int32"),
    ],
    "v1alpha1.MeshConfig": [
        (
            "default_http_retry_policy",
            "default_inbound_http_retry_policy",
            "v1alpha3.HTTPRetry",
        ),
    ],
}


def main(argv: list[str] | None = None) -> int:
    """Print the module; the only argument is the description's path."""
    (path,) = sys.argv[1:] if argv is None else argv
    described = json.loads(Path(path).read_text(encoding="utf-8"))
    sys.stdout.write("\n".join(_module(described)) + "\n")
    sys.stderr.write("next: ruff format the module, then run tests/injection/istio\n")
    return 0


def _module(described: dict[str, Any]) -> Iterator[str]:
    yield '"""Istio\'s mesh messages; written by scripts/generate_mesh_types.py, not by hand."""'
    yield "# ruff: noqa: E501 (some of Go's names are longer than a line)"
    yield ""
    yield "# enum (by its Go name) → its names by number"
    yield "ENUMS: dict[str, dict[int, str]] = {"
    for name, members in described["enums"].items():
        numbers = {member["number"]: member["name"] for member in members}
        yield f"    {json.dumps(_go_name(name))}: {numbers!r},"
    yield "}"
    yield ""
    yield "# message (by its Go name) → its fields in declaration order: proto name, type, oneof"
    yield "MESSAGES: dict[str, tuple[tuple[str, str, str], ...]] = {"
    for name, fields in described["messages"].items():
        yield f"    {json.dumps(_go_name(name))}: ("
        for row in _rows(_go_name(name), fields):
            yield f"        ({', '.join(map(json.dumps, row))}),"
        yield "    ),"
    yield "}"


def _rows(message: str, fields: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for field in fields:
        shape = "repeated " if field.get("repeated") else ""
        yield field["name"], shape + _type(field["type"]), field.get("oneof", "")
        for after, name, type_ in _OTHERS.get(message, ()):
            if after == field["name"]:
                yield name, type_, ""


def _type(described: str) -> str:
    """A field's type in our table: ``map<string,X>`` becomes ``map X``, names become Go's."""
    if described.startswith("map<string,"):
        return f"map {_type(described.removeprefix('map<string,').removesuffix('>'))}"
    return _WELL_KNOWN.get(described) or (_go_name(described) if "." in described else described)


def _go_name(proto: str) -> str:
    """``istio.mesh.v1alpha1.Tracing.Zipkin`` is ``v1alpha1.Tracing_Zipkin`` in Go."""
    parts = proto.split(".")
    package = next(i for i, part in enumerate(parts) if re.fullmatch("v[0-9][a-z0-9]*", part))
    return f"{parts[package]}.{'_'.join(parts[package + 1 :])}"


if __name__ == "__main__":
    sys.exit(main())
