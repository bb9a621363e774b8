"""SAM's translator: the template that CloudFormation would get. The Python of sam runs this file.

    translate.py TEMPLATE

Standard input is a list of deployments: ``parameters``, and ``folders`` that replace the built ones
of resources. Standard output is the list of translated templates.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# Packages of the environment of sam.
_BOTO3: Any = import_module("boto3")
_HASH: Any = import_module("samcli.lib.utils.hash")
_YAML: Any = import_module("samcli.yamlhelper")
_PARSER: Any = import_module("samtranslator.parser.parser")
_TRANSLATOR: Any = import_module("samtranslator.translator.translator")

_LOCATIONS = ("CodeUri", "ContentUri")


def main() -> None:
    """Translate each deployment of the template."""
    [path] = map(Path, sys.argv[1:])
    template: Any = _YAML.yaml_parse(path.read_text())
    deployments = json.load(sys.stdin)
    json.dump([_translate(template, path.parent, **each) for each in deployments], sys.stdout)


def _translate(
    template: Any, build: Path, parameters: dict[str, str], folders: dict[str, str]
) -> Any:
    # In a document of JSON, as CloudFormation gets it, no two places share an object.
    packaged = json.loads(json.dumps(template))
    for name, resource in packaged["Resources"].items():
        properties = resource.get("Properties", {})
        for key in properties.keys() & set(_LOCATIONS):
            folder = folders.get(name) or str(build / properties[key])
            # sam package names an upload by the checksum of its folder.
            properties[key] = f"s3://uploads/{_HASH.dir_checksum(folder, followlinks=True)}"
    session = _BOTO3.Session(region_name="eu-central-1")
    translator = _TRANSLATOR.Translator({}, _PARSER.Parser(), boto_session=session)
    return translator.translate(packaged, parameters)


if __name__ == "__main__":
    main()
