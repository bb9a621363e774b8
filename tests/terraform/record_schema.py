"""Record the arguments of the resources that the module uses, from the provider's published schema.

    record_schema.py WHEEL    (of cdktf-cdktf-provider-aws, which is generated from the schema)

The test compares the module with the recording, so it needs neither the provider nor a registry.
"""

import ast
import json
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

_HCL2: Any = import_module("hcl2")

FOLDER = Path(__file__).parents[2] / "deploy" / "terraform"
# Arguments that Terraform adds to every resource.
_META = {"connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioners"}


def find_types() -> set[str]:
    """The types of the resources of the module."""
    return {
        kind.strip('"')
        for path in FOLDER.glob("*.tf")
        for resource in _HCL2.loads(path.read_text()).get("resource", ())
        for kind in resource
    }


def read_arguments(function: ast.FunctionDef) -> dict[str, bool]:
    """Each argument, and whether it is required."""
    defaults = function.args.kw_defaults
    return {
        argument.arg: default is None
        for argument, default in zip(function.args.kwonlyargs, defaults, strict=True)
        if argument.arg not in _META
    }


def record(archive: zipfile.ZipFile, kind: str) -> dict[str, Any]:
    """The arguments of a resource and of its blocks, by the names of the classes."""
    name = kind.removeprefix("aws_")
    source = archive.read(f"cdktf_cdktf_provider_aws/{name}/__init__.py").decode()
    classes: dict[str, Any] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            for function in node.body:
                if isinstance(function, ast.FunctionDef) and function.name == "__init__":
                    arguments = read_arguments(function)
                    if arguments:
                        classes[node.name] = arguments
    resource = "".join(part.capitalize() for part in name.split("_"))
    blocks = {key.lower(): value for key, value in classes.items()}
    # The generator renames a class with the name of another one.
    prefix = next(each for each in (resource.lower(), f"{resource.lower()}a") if each in blocks)
    return _describe(blocks, prefix)


def _describe(classes: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The arguments of a class; a block has a class with its name."""
    described: dict[str, Any] = {}
    for argument, is_required in sorted(classes[prefix].items()):
        block = prefix + argument.replace("_", "")
        entry: dict[str, Any] = {"required": is_required}
        if block in classes:
            entry["arguments"] = _describe(classes, block)
        described[argument] = entry
    return described


def main(wheel: str) -> None:
    """Write the recording."""
    with zipfile.ZipFile(wheel) as archive:
        schema = {kind: record(archive, kind) for kind in sorted(find_types())}
    path = Path(__file__).with_name("schema.json")
    path.write_text(json.dumps(schema, indent=1) + "\n")
    sys.stdout.write(f"{path.name}: {len(schema)} types, of {Path(wheel).name}\n")


if __name__ == "__main__":
    main(sys.argv[1])
