"""istioctl's three files as a bundle: each is a ConfigMap, or the text of one of its keys."""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.core.injectors import istio
from podgraft.kube import yaml

from . import documents
from .failure import CommandError

# By key: the ConfigMap of a stock installation, and the option that names the file.
_NAMES = {"config": "istio-sidecar-injector", "values": "istio-sidecar-injector", "mesh": "istio"}
_OPTIONS = {"config": "--injectConfigFile", "values": "--valuesFile", "mesh": "--meshConfigFile"}

_VALUES_USED = re.compile(r"\.Values\b")
_MANY_KEYS = 5


def read(*, config: Path, values: Path | None, mesh: Path | None) -> dict[str, bytes]:
    """The files of a bundle with the same content; raises ``CommandError``.

    Values and mesh that no option names are read from the ConfigMaps of *config*, if it has them.
    """
    injector = _File.read(config)
    text = injector.text("config")
    values_text = (
        injector.further("values") if values is None else _File.read(values).text("values")
    )
    mesh_text = injector.further("mesh") if mesh is None else _File.read(mesh).text("mesh")
    _check_config(config, text)
    if values_text is None and _VALUES_USED.search(text):
        raise CommandError(
            f"--valuesFile: is missing: the templates in {config} read .Values; name a file with "
            "key values of ConfigMap istio-sidecar-injector, or give the complete ConfigMap as "
            "--injectConfigFile"
        )
    files = {str(config): _config_map(config=text, values=values_text)}
    if mesh_text is not None:
        name = str(mesh or config)
        files[name if name not in files else f"{name} (mesh)"] = _config_map(mesh=mesh_text)
    return files


def check_templates(config: Path, injector: istio.Injector) -> None:
    """Check that the release reads the templates of the file; raises ``CommandError``."""
    raw = _mapping(_File.read(config).text("config")) or {}
    if raw.get("templates") or not injector.profile.pod_templates:
        return
    raise CommandError(
        f"{config}: key template is of Istio 1.8 or earlier, and Istio {injector.profile.release} "
        "does not read it; set --istio-release (istioRelease in the policy) to 1.8 or earlier"
    )


class _File(Struct, frozen=True):
    path: Path
    content: str
    config_maps: tuple[Object, ...]
    kinds: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> "_File":
        content = documents.read_text(path)
        objects = [*_objects(content)]
        kinds = tuple(dict.fromkeys(string_at(each, "kind") for each in objects if _is_typed(each)))
        config_maps = tuple(each for each in objects if each.get("kind") == "ConfigMap")
        return cls(path, content, config_maps, kinds)

    def text(self, key: str) -> str:
        """The text of a key: of the ConfigMap that has it, or the complete file."""
        if not self.kinds:
            return self.content
        text = self.further(key)
        if text is None:
            raise CommandError(self._describe_missing(key))
        return text

    def further(self, key: str) -> str | None:
        """The text of a key of the ConfigMaps; ``None`` if none of them has it."""
        holders = [each for each in self.config_maps if key in object_at(each, "data")]
        if not holders:
            return None
        if len(holders) > 1:
            names = ", ".join(map(documents.object_name, holders))
            raise CommandError(
                f"{self.path}: several objects have key {key}: {names}; keep the ConfigMap of "
                "one control plane"
            )
        text = object_at(holders[0], "data")[key]
        if not isinstance(text, str):
            raise CommandError(
                f"{self.path}: {documents.object_name(holders[0])}: /data/{key}: expected a string"
                f", got {jsonvalue.describe_type(text)}; put it under a |"
            )
        return text

    def _describe_missing(self, key: str) -> str:
        expected = f"expected ConfigMap {_NAMES[key]}, or the text of its key {key}"
        if not self.config_maps:
            kinds = ", ".join(self.kinds)
            return f"{self.path}: {expected}, got kind {kinds}; correct {_OPTIONS[key]}"
        keys = ", ".join(
            f"{documents.object_name(each)} with {', '.join(object_at(each, 'data')) or 'no keys'}"
            for each in self.config_maps
        )
        return f"{self.path}: {expected}, got {keys}; correct {_OPTIONS[key]}"


def _objects(content: str) -> Iterator[Object]:
    """The objects of a text, Lists opened; none if it is not YAML."""
    try:
        read = list(yaml.load_all(content))
    except yaml.NotYAMLError:
        return
    values = (each for document in read for each in documents.expand_lists(document))
    yield from (each for each in values if isinstance(each, dict))


def _is_typed(value: Object) -> bool:
    """Whether the object is a manifest; the settings of Istio have no kind."""
    return isinstance(value.get("kind"), str) and "apiVersion" in value


def _mapping(text: str) -> Object | None:
    """The top level of key config, keys in the case that Istio reads; None without YAML."""
    try:
        raw = yaml.load(text, strict=False)
    except yaml.NotYAMLError:
        return None  # which compiling the bundle reports
    return {key.lower(): value for key, value in raw.items()} if isinstance(raw, dict) else {}


def _check_config(path: Path, text: str) -> None:
    """Raise ``CommandError`` for a text that has no template."""
    raw = _mapping(text)
    if raw is None or raw.get("template") or raw.get("templates"):
        return
    keys = sorted(raw)
    key_names = ", ".join(keys[:_MANY_KEYS]) + (", …" if len(keys) > _MANY_KEYS else "")
    raise CommandError(
        f"{path}: contains no template: expected key templates (Istio 1.9 and later) or template "
        f"(Istio 1.8 and earlier), got {f'keys {key_names}' if keys else 'no keys'}; name "
        "ConfigMap istio-sidecar-injector, or the text of its key config"
    )


def _config_map(**keys: str | None) -> bytes:
    data: Object = {key: text for key, text in keys.items() if text is not None}
    name = "istio" if "mesh" in data else "istio-sidecar-injector"
    config_map: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": data,
    }
    return jsonvalue.dump(config_map).encode()
