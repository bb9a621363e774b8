"""``format.dns1123Label().validate(text)``: Kubernetes' named formats (library/format.go).

``validate`` returns ``optional.none()`` for valid text, else the errors, with the texts of
k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from podgraft.golang.time import matches_layout
from podgraft.kube.cel.cost import match_cost
from podgraft.kube.cel.overloads import function, member
from podgraft.kube.cel.values import NONE, Optional, Value

from .network import find_url_errors

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = rf"({_QUALIFIED})?"
_UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}"
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/][A-Za-z0-9+/=])"
_CLOCK = r"(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})"

_DATE = "2006-01-02"
_LABEL_BYTES, _NAME_BYTES = 63, 253


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format that text can be held against."""

    CEL_NAME: ClassVar = "kubernetes.NamedFormat"

    name: str
    pattern_size: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return self.name


def _validate_length(text: str, limit: int, unit: str) -> list[str]:
    size = len(text.encode(errors="surrogateescape"))
    return [f"must be no more than {limit} {unit}"] if size > limit else []


def _pattern_error(message: str, pattern: str, *examples: str) -> str:
    quoted_examples = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {quoted_examples}regex used for validation is '{pattern}')"


def _make_name_check(
    limit: int, pattern: str, message: str, *examples: str, unit: str = "characters"
) -> Callable[[str], list[str]]:
    compiled, problem = re.compile(pattern), _pattern_error(message, pattern, *examples)

    def check(text: str) -> list[str]:
        errors = _validate_length(text, limit, unit)
        return errors if compiled.fullmatch(text) else [*errors, problem]

    return check


_undotted = _make_name_check(
    _LABEL_BYTES,
    _LABEL,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character",
    "my-name",
    "123-abc",
)
_SUBDOMAIN_RULE = (
    _NAME_BYTES,
    _SUBDOMAIN,
    (
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character"
    ),
    "example.com",
)
_subdomain = _make_name_check(*_SUBDOMAIN_RULE)
_key_prefix = _make_name_check(*_SUBDOMAIN_RULE, unit="bytes")
_label_1035 = _make_name_check(
    _LABEL_BYTES,
    _LABEL_1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character",
    "my-name",
    "abc-123",
)
_label_value = _make_name_check(
    _LABEL_BYTES,
    _LABEL_VALUE,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character",
    "MyValue",
    "my_value",
    "12345",
    unit="bytes",
)


def _label(text: str) -> list[str]:
    errors = _undotted(text)
    is_subdomain = "." in text and re.fullmatch(_SUBDOMAIN, text)
    return [*errors[:-1], "must not contain dots"] if is_subdomain else errors


def _allow_trailing_dash(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The same for the beginning of a name that gets a suffix: it may end with a dash.

    The byte before the dash is not checked either (maskTrailingDash).
    """

    def check_masked(text: str) -> list[str]:
        is_masked = len(text) > 1 and text[-1] == "-"
        masked = text.encode()[:-2].decode(errors="surrogateescape") + "a"
        return check(masked if is_masked else text)

    return check_masked


def _qualified_name(text: str) -> list[str]:
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_QUALIFIED_PROBLEM} {optional}"]
    errors: list[str] = []
    if slash and not prefix:
        errors.append("prefix part must be non-empty")
    elif slash:
        errors += [f"prefix part {problem}" for problem in _key_prefix(prefix)]
    if not name:
        errors.append("name part must be non-empty")
    errors += [f"name part {problem}" for problem in _validate_length(name, _LABEL_BYTES, "bytes")]
    if not re.fullmatch(_QUALIFIED, name):
        errors.append(f"name part {_QUALIFIED_PROBLEM}")
    return errors


_QUALIFIED_PROBLEM = _pattern_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character",
    _QUALIFIED,
    "MyName",
    "my.name",
    "123-abc",
)


def _pattern_check(pattern: str, message: str) -> Callable[[str], list[str]]:
    compiled = re.compile(pattern)
    return lambda text: [] if compiled.fullmatch(text) else [message]


def _date(text: str) -> list[str]:
    return [] if matches_layout(_DATE, text) else ["invalid date"]


def _datetime(text: str) -> list[str]:
    """As strfmt reads it: any offset, and anything after a second ``T``."""
    date, _, clock = text.lower().partition("t")
    is_valid = matches_layout(_DATE, date) and re.fullmatch(_CLOCK, clock.partition("t")[0])
    return [] if is_valid else ["invalid datetime"]


# Name in CEL: the format and its check.
_FORMATS: Mapping[str, tuple[NamedFormat, Callable[[str], list[str]]]] = {
    "dns1123Label": (NamedFormat("DNS1123Label", 30), _label),
    "dns1123Subdomain": (NamedFormat("DNS1123Subdomain", 60), _subdomain),
    "dns1035Label": (NamedFormat("DNS1035Label", 30), _label_1035),
    "qualifiedName": (NamedFormat("QualifiedName", 60), _qualified_name),
    "dns1123LabelPrefix": (NamedFormat("DNS1123LabelPrefix", 30), _allow_trailing_dash(_label)),
    "dns1123SubdomainPrefix": (
        NamedFormat("DNS1123SubdomainPrefix", 60),
        _allow_trailing_dash(_subdomain),
    ),
    "dns1035LabelPrefix": (
        NamedFormat("DNS1035LabelPrefix", 30),
        _allow_trailing_dash(_label_1035),
    ),
    "labelValue": (NamedFormat("LabelValue", 40), _label_value),
    "uri": (NamedFormat("URI", 1103), find_url_errors),
    "uuid": (NamedFormat("uuid", 72), _pattern_check(_UUID, "does not match the UUID format")),
    "byte": (NamedFormat("byte", 84), _pattern_check(_BASE64, "invalid base64")),
    "date": (NamedFormat("date", 72), _date),
    "datetime": (NamedFormat("datetime", 72), _datetime),
}
_CHECKS = dict(_FORMATS.values())


def _validate(named_format: NamedFormat, text: str) -> Optional:
    errors = _CHECKS[named_format](text)
    return Optional(True, errors) if errors else NONE


def _validate_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Running the format's pattern over the text."""
    named_format, text = arguments
    if not isinstance(named_format, NamedFormat):
        return 1
    return match_cost((text, "." * named_format.pattern_size), None)


def _find_format(name: str) -> Optional:
    return Optional(True, _FORMATS[name][0]) if name in _FORMATS else NONE


def _constant(named_format: NamedFormat) -> Callable[[], NamedFormat]:
    return lambda: named_format


_F = NamedFormat.CEL_NAME

NAMED_FORMATS = (
    *(function(f"format.{name}", f"-> {_F}", _constant(row[0])) for name, row in _FORMATS.items()),
    function("format.named", f"string -> optional_type({_F})", _find_format),
    member("validate", f"{_F} string -> optional_type(list(string))", _validate, _validate_cost),
)
