"""Render the chart as helm does, with the template engine of podgraft.

The recorded renderings of helm (``record.py``) prove it for the cases. Functions that the chart
does not use are missing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from podgraft.golang import sprig
from podgraft.golang.reflect import ANY, STRING
from podgraft.golang.texttemplate import Function, FunctionError, Program, compile_
from podgraft.kube import yaml

CHART = Path(__file__).parents[2] / "deploy" / "charts" / "podgraft"
_HELPERS = (CHART / "templates" / "_helpers.tpl").read_text().strip()


def render(values: Mapping[str, Any], name: str = "podgraft", namespace: str = "podgraft") -> str:
    """All manifests in one text, in the order of the files; raises ``ExecError``."""
    data = _make_data(values, name, namespace)
    files = sorted((CHART / "templates").rglob("*.yaml"))
    return "\n---\n".join(_compile(path.read_text(), path.name).render(data) for path in files)


def render_notes(values: Mapping[str, Any]) -> str:
    """What helm prints after an installation."""
    text = (CHART / "templates" / "NOTES.txt").read_text()
    return _compile(text, "NOTES.txt").render(_make_data(values, "podgraft", "podgraft"))


def _make_data(values: Mapping[str, Any], name: str, namespace: str) -> Any:
    chart: Any = yaml.load((CHART / "Chart.yaml").read_text())
    return {
        "Values": _merge(yaml.load((CHART / "values.yaml").read_text()), values),
        "Release": {"Name": name, "Namespace": namespace, "Service": "Helm"},
        "Chart": {
            "Name": chart["name"],
            "Version": chart["version"],
            "AppVersion": chart["appVersion"],
        },
    }


def _merge(defaults: Any, values: Mapping[str, Any]) -> Any:
    merged = dict(defaults)
    for key, value in values.items():
        old = merged.get(key)
        merged[key] = (
            _merge(old, cast("dict[str, Any]", value))
            if isinstance(old, dict) and isinstance(value, dict)
            else value
        )
    return merged


def _compile(text: str, name: str) -> Program:
    return compile_(_HELPERS + text, name=name, functions=_FUNCTIONS)


def _include(name: str, data: Any) -> str:
    return _compile(f'{{{{ template "{name}" . }}}}', "include").render(data)


def _require(message: str, value: Any) -> Any:
    if value in (None, ""):
        raise FunctionError(message)
    return value


def _to_yaml(value: Any) -> str:
    return yaml.dump(value).removesuffix("\n")


_FUNCTIONS = {
    **sprig.functions("3.3"),
    "include": Function(_include, (STRING, ANY)),
    "required": Function(_require, (STRING, ANY)),
    "toYaml": Function(_to_yaml, (ANY,)),
}
