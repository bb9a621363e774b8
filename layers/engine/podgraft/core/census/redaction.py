"""Redaction by an allow list: every string that is not on the list becomes a keyed token.

A token is ``pgt-`` and 16 hexadecimal digits of an HMAC, so equal strings have equal tokens, and
nobody without the key can test guesses. Empty strings remain, because templates test whether a
value is empty. Keys of maps, numbers, and booleans remain.
"""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from hmac import digest as compute_hmac
from typing import TypeAlias

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, dump, list_at, names_at, without_keys
from podgraft.golang.reflect import STRING, GoType, Kind, fields_by_key
from podgraft.kube import object_type, types, yaml

from . import fields

_PREFIX = "pgt-"
_DIGITS = 16
_TOKEN = re.compile(rf"{_PREFIX}[0-9a-f]{{{_DIGITS}}}")
# Recorded strings look like names, images, paths, numbers, or lists of them.
_PLAIN = re.compile(r"[A-Za-z0-9._:/@+*,=%<>~ -]{0,256}")
_KEY = re.compile(r"[A-Za-z0-9._/-]{1,253}")
_MAX_VALUES = 20_000
_MAX_DEPTH = 60
_HASH = "00000"
_PROXY_CONFIGS = frozenset({"proxy.istio.io/config", "istio.io/proxyConfig"})
# Redacts the text of such an annotation, with functions for a text and for a key of a map.
RedactProxyConfig: TypeAlias = Callable[[str, Callable[[str], str], Callable[[str], str]], str]
_INJECT = "sidecar.istio.io/inject"
_BOOLEANS = frozenset(
    word
    for boolean in ("true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0")
    for word in (boolean, boolean.title(), boolean.upper())
)
# Structs that JSON contains as strings.
_STRUCTS_OF_STRINGS = frozenset(
    {"intstr.IntOrString", "resource.Quantity", "time.Time", "v1.MicroTime", "v1.Time"}
)
_SERVICE_ACCOUNT_VOLUME = "kube-api-access-"


class ObjectTooLargeError(ValueError):
    """An object has too many values, or nests them too deeply, to be recorded."""


class KeyFilter(Struct, frozen=True):
    """The keys of labels and annotations with recorded values; ``secret`` wins.

    ``names`` are single keys, and the others are patterns with ``*``.
    """

    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()

    def is_recorded(self, key: str) -> bool:
        """Whether the value of a key is recorded."""
        if any(fnmatchcase(key, pattern) for pattern in self.secret):
            return False
        return key in self.names or any(fnmatchcase(key, pattern) for pattern in self.patterns)


def is_token(value: str) -> bool:
    """Whether a string is a token."""
    return _TOKEN.fullmatch(value) is not None


def has_token(value: JSON) -> bool:
    """Whether a value contains a token, also inside of a string."""
    match value:
        case str():
            return _TOKEN.search(value) is not None
        case dict():
            return any(_TOKEN.search(key) or has_token(member) for key, member in value.items())
        case list():
            return any(map(has_token, value))
        case _:
            return False


class Redactor:
    """Redacts objects with one key; ``keys`` selects the labels and annotations to record.

    ``redact_proxy_config`` reads the proxy's configuration as injection does. Without it, the text
    is redacted completely.
    """

    def __init__(
        self, key: bytes, keys: KeyFilter, redact_proxy_config: RedactProxyConfig | None = None
    ) -> None:
        self._key = key
        self._keys = keys
        self._redact_proxy_config = redact_proxy_config
        self._remaining = 0
        self._renamed: dict[str, str] = {}

    def redact_text(self, text: str) -> str:
        """Return the token of a string; an empty string remains."""
        if not text:
            return text
        data = text.encode("utf-8", "surrogatepass")
        return _PREFIX + compute_hmac(self._key, data, sha256).hex()[:_DIGITS]

    def redact_name(self, text: str) -> str:
        """Return a string that looks like a name, and the token of any other string."""
        return text if _PLAIN.fullmatch(text) and not is_token(text) else self.redact_text(text)

    def redact(self, value: Object) -> Object:
        """Return the redacted object; raises ``ObjectTooLargeError``."""
        self._remaining = _MAX_VALUES
        type_ = object_type(value)
        if type_ is types()["Pod"]:
            value = _normalize_pod(value)
        self._renamed = _find_volumes(value)
        redacted = {
            key: self._redact_member(type_, key, member)
            for key, member in value.items()
            if key != "status"
        }
        return {self._redact_key(key): member for key, member in redacted.items()}

    def _redact_member(self, type_: GoType | None, key: str, value: JSON) -> JSON:
        """Redact a field of the object itself; kinds without a type have metadata, too."""
        if key in {"kind", "apiVersion"} and isinstance(value, str):
            return self.redact_name(value)
        if key == "metadata":
            return self._redact(types()["ObjectMeta"], value, 1)
        field = None if type_ is None else fields_by_key(type_).get(key)
        return self._redact(None if field is None else field.type, value, 1)

    def _redact(self, type_: GoType | None, value: JSON, depth: int) -> JSON:
        self._remaining -= 1
        if self._remaining < 0 or depth > _MAX_DEPTH:
            raise ObjectTooLargeError
        type_ = _dereference(type_)
        match value:
            case str():
                return self._redact_string(type_, value)
            case dict() if type_ is not None and type_.kind is Kind.STRUCT:
                return self._redact_struct(type_, value, depth)
            case dict():
                elem = type_.elem if type_ is not None and type_.kind is Kind.MAP else None
                return {
                    self._redact_key(key): self._redact(elem, member, depth + 1)
                    for key, member in value.items()
                }
            case list():
                elem = type_.elem if type_ is not None and type_.kind is Kind.SLICE else None
                return [self._redact(elem, element, depth + 1) for element in value]
            case _:
                return value

    def _redact_string(self, type_: GoType | None, value: str) -> str:
        """A string of a named type is an enumerated value or a quantity."""
        if type_ is None or type_ is STRING or type_.name in {"interface {}", "types.UID"}:
            return self.redact_text(value)
        # A string in the place of a number, a list, or an object can be anything.
        is_valid = type_.kind is Kind.STRING or type_.name in _STRUCTS_OF_STRINGS
        return self.redact_name(value) if is_valid else self.redact_text(value)

    def _redact_struct(self, type_: GoType, value: Object, depth: int) -> Object:
        redacted: Object = {}
        recorded = _recorded_fields(type_)
        for key, member in value.items():
            if type_.name == fields.METADATA and key in fields.REMOVED_METADATA:
                continue
            if type_.name == fields.OWNER and key == "uid":
                continue
            field = fields_by_key(type_).get(key)
            if type_.name == fields.METADATA and key in {"labels", "annotations"}:
                redacted[key] = self._redact_metadata_map(member)
            elif field is not None and key in recorded:
                redacted[key] = self._redact_plain(member, depth + 1)
            else:
                inner = None if field is None else field.type
                redacted[self._redact_key(key)] = self._redact(inner, member, depth + 1)
        return redacted

    def _redact_plain(self, value: JSON, depth: int) -> JSON:
        """Record all strings that look like names, of a field on the allow list."""
        match value:
            case str():
                return self.redact_name(self._renamed.get(value, value))
            case list():
                return [self._redact_plain(element, depth + 1) for element in value]
            case dict():
                return {
                    self._redact_key(key): self._redact_plain(member, depth + 1)
                    for key, member in value.items()
                }
            case _:
                return value

    def _redact_key(self, key: str) -> str:
        return (
            key if not key or (_KEY.fullmatch(key) and not is_token(key)) else self.redact_text(key)
        )

    def _redact_metadata_map(self, value: JSON) -> JSON:
        if not isinstance(value, dict):
            return self._redact(None, value, 1)
        return {
            self._redact_key(key): self._redact_metadata_value(key, member)
            for key, member in value.items()
            if key not in fields.REMOVED_KEYS
        }

    def _redact_metadata_value(self, key: str, value: JSON) -> JSON:
        if not isinstance(value, str):
            return self._redact(None, value, 1)
        if not self._keys.is_recorded(key):
            return self.redact_text(value)
        if key == _INJECT and value not in _BOOLEANS:
            return self.redact_text(value)  # any other value is invalid, as the token is
        if key in _PROXY_CONFIGS:
            if self._redact_proxy_config is None:
                return self.redact_text(value)
            return self._redact_proxy_config(value, self.redact_text, self._redact_key)
        if value.lstrip().startswith(("{", "[")):
            return self._redact_document(
                value, lambda document: self._redact_elements(key, document)
            )
        return self.redact_name(value)

    def _redact_document(self, text: str, redact: Callable[[JSON], JSON]) -> str:
        """Redact an annotation with one YAML or JSON document, and print it as JSON."""
        try:
            document = yaml.load_document(text)
        except yaml.NotYAMLError:
            return self.redact_text(text)
        if not isinstance(document, dict | list):
            return self.redact_name(text)
        return dump(redact(document))

    def _redact_elements(self, key: str, document: JSON) -> JSON:
        """Redact the elements of an annotation; only names of known annotations remain."""
        type_name = fields.TYPED_ELEMENTS.get(key)
        type_ = types()[type_name] if type_name is not None else None
        recorded = fields.RECORDED_ELEMENTS.get(key, frozenset())

        def redact(element: JSON) -> JSON:
            if type_ is None and isinstance(element, dict):
                return self._redact_element(element, recorded)
            return self._redact(type_, element, 2)

        if isinstance(document, dict):
            return {self._redact_key(name): redact(each) for name, each in document.items()}
        return [*map(redact, document)] if isinstance(document, list) else redact(document)

    def _redact_element(self, element: Object, recorded: frozenset[str]) -> Object:
        return {
            self._redact_key(key): self.redact_name(member)
            if key in recorded and isinstance(member, str)
            else self._redact(None, member, 3)
            for key, member in element.items()
        }


def _dereference(type_: GoType | None) -> GoType | None:
    while type_ is not None and type_.kind is Kind.POINTER:
        type_ = type_.elem
    return type_


@cache
def _recorded_fields(type_: GoType) -> frozenset[str]:
    """The fields on the allow list, with those of embedded structs."""
    recorded = fields.RECORDED.get(type_.name, frozenset())
    for field in type_.fields:
        if field.inline:
            recorded |= _recorded_fields(field.type)
    return recorded


def _normalize_pod(pod: Object) -> Object:
    """Remove the differences between the pods of one workload."""
    metadata = pod.get("metadata")
    if not isinstance(metadata, dict):
        return pod
    owners = list_at(metadata, "ownerReferences")
    has_controller = any(
        isinstance(each, dict) and each.get("controller") is True for each in owners
    )
    labels = metadata.get("labels")
    labels = dict(labels) if isinstance(labels, dict) else labels
    changed: Object = dict(metadata)
    if isinstance(labels, dict):
        for key in fields.HASH_KEYS:
            hash_ = labels.get(key)
            if isinstance(hash_, str) and hash_:
                labels[key] = _HASH
                owners = [_replace_suffix(owner, hash_) for owner in owners]
                prefix = changed.get("generateName")
                if isinstance(prefix, str):
                    changed["generateName"] = prefix.replace(f"-{hash_}-", f"-{_HASH}-")
        changed["labels"] = labels
    if owners:
        changed["ownerReferences"] = owners
    spec = pod.get("spec")
    if has_controller:
        if metadata.get("generateName"):
            changed.pop("name", None)
        if isinstance(spec, dict):
            spec = without_keys(spec, "hostname", "nodeName")
    return {**pod, "metadata": changed, **({} if spec is None else {"spec": spec})}


def _replace_suffix(owner: JSON, hash_: str) -> JSON:
    name = owner.get("name") if isinstance(owner, dict) else None
    if not isinstance(owner, dict) or not isinstance(name, str) or not name.endswith(f"-{hash_}"):
        return owner
    return {**owner, "name": f"{name.removesuffix(hash_)}{_HASH}"}


def _find_volumes(value: Object) -> dict[str, str]:
    """The names of volumes with a random suffix, with the names to record."""
    return {
        name: _SERVICE_ACCOUNT_VOLUME + _HASH
        for name in names_at(value, "spec", "volumes")
        if name.startswith(_SERVICE_ACCOUNT_VOLUME)
    }
