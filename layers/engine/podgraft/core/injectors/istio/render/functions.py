"""Istio's own template functions (pkg/kube/inject/template.go); they override sprig's.

``functions(profile, env)`` is the table of one release. Functions see Go values: structs, maps and
slices as views over raw JSON (``podgraft.golang.reflect``).
"""

from collections.abc import Callable, Mapping
from functools import partial

from podgraft import kube
from podgraft.base.field_reads import EACH
from podgraft.base.jsonvalue import Object, load, objects_at
from podgraft.core.injectors.istio.config.protojson import MESH_CONFIG, Message
from podgraft.core.injectors.istio.data import mesh_types
from podgraft.core.injectors.istio.releases import Profile
from podgraft.core.injectors.yaml_function import read_tree, to_yaml
from podgraft.golang import reflect, strings
from podgraft.golang import time as gotime
from podgraft.golang.fmt import sprintf
from podgraft.golang.json.marshal import marshal
from podgraft.golang.json.unmarshal import unmarshal
from podgraft.golang.reflect import (
    ANY,
    INT,
    STRING,
    STRING_MAP,
    GoType,
    Map,
    Pointer,
    Slice,
    Value,
    type_of,
)
from podgraft.golang.reflect.taint import TaintedText
from podgraft.golang.reflect.tainted_values import to_text
from podgraft.golang.sprig.failures import check_text_size
from podgraft.golang.texttemplate import (
    Dependency,
    ExecError,
    Function,
    KeyArgument,
    LimitError,
    Propagation,
    Serializer,
    SyntaxRisk,
    TemplateError,
    compile_,
)
from podgraft.golang.texttemplate.run.runtime import RenderState
from podgraft.golang.texttemplate.run.tracing import Trace

from . import messages, multus, otel


def annotation(meta: reflect.Struct, name: str, default: Value) -> str:
    """Return the value of the annotation, else the default as text (nil is ``<nil>``)."""
    cached = meta.cached_fields
    annotations: Map = (
        cached["Annotations"] if "Annotations" in cached else meta.field("Annotations")
    )
    if annotations.raw is not None and name in annotations.raw:
        return annotations.get(name)
    if default.__class__ is int:
        return str(default)
    return default if default.__class__ is str else to_text(default, sprintf.sprint)


def isset(entries: Map, key: str) -> bool:
    """Whether the map has the key."""
    return entries.raw is not None and key in entries.raw


def value_or_default(value: Value, default: Value) -> Value:
    """Return the default only for nil and ``""``.

    >>> value_or_default("", 1), value_or_default(None, 1), value_or_default(0, 1)
    (1, 1, 0)
    """
    return default if value is None or (not value and type_of(value) is STRING) else value


def exclude_inbound_port(port: Value, excluded: str) -> str:
    """Add the port to the list, unless it is empty or already an exact element.

    >>> exclude_inbound_port(15020.0, "80, ,443"), exclude_inbound_port("0", "80, 443")
    ('80,443,15020', '80, 443')
    """
    text = strings.trim_space(sprintf.sprint(port))
    elements = excluded.split(",")
    if text in ("", "0") or text in elements:
        return excluded
    ports = [port for port in map(strings.trim_space, elements) if port]
    return ",".join([*ports, text])


def include_inbound_ports(profile: Profile, containers: Slice) -> str:
    """Return the containerPorts of all containers; since 1.4 without UDP and SCTP."""
    return _format_ports(profile, _raw_containers(containers))


def application_ports(profile: Profile, containers: Slice) -> str:
    """``include_inbound_ports`` without those of ``istio-proxy``."""
    others = [c for c in _raw_containers(containers) if c.get("name") != "istio-proxy"]
    return _format_ports(profile, others)


def identity(text: str) -> str:
    """Return the text. Earlier releases checked kubevirtInterfaces and excludeInterfaces here."""
    return text


def to_json(entries: Map) -> str:
    """Return a string map as compact JSON; nil is ``{}``."""
    return "{}" if entries.raw is None else marshal(entries)


def from_json(text: str) -> Value:
    """Parse a JSON text; for invalid JSON, return the *string* ``{}``.

    >>> from_json('{"a": [1]}'), from_json("[1] x")
    ({'a': [1.0]}, '{}')
    """
    read = unmarshal(text)
    return "{}" if read.error else read.value


def struct_to_json(value: Value) -> str:
    """Return compact JSON in the order of the Go struct; nil is ``{}``."""
    return "{}" if value is None else marshal(value)


def indent(spaces: int, text: str) -> str:
    r"""``spaces`` blanks before every line but the first.

    A width that is too large for package fmt writes fmt's error text instead.

    >>> indent(2, "a\nb\n")
    'a\n  b\n  '
    """
    first, *lines = text.split("\n")
    if not lines:
        return text
    if abs(spaces) > _LARGEST_WIDTH:
        directive = f"% {spaces}s%s"
        return "\n".join([first, *(sprintf.sprintf(directive, ("", line)) for line in lines)])
    check_text_size(len(text) + abs(spaces) * len(lines))
    return text.replace("\n", "\n" + " " * abs(spaces))


_LARGEST_WIDTH = 99_999_999


def directory(path: str) -> str:
    """Return the text up to and including the last slash.

    >>> directory("/etc/certs/ca.pem"), directory("ca.pem")
    ('/etc/certs/', '')
    """
    before, slash, _ = path.rpartition("/")
    return before + slash


def contains(needle: str, haystack: str) -> bool:
    """Whether the needle is in the haystack. Go has the reverse order of arguments.

    >>> contains("/", "hub/image")
    True
    """
    return needle in haystack


def format_duration(duration: Pointer) -> str:
    """Format the duration as Go prints it."""
    return gotime.format_duration(mesh_types.duration_to_nanoseconds(duration.target))


def omit(entries: Map, *keys: str) -> Map:
    """Return a copy of the map without the keys."""
    return STRING_MAP.convert({k: v for k, v in entries.items() if k not in keys})


def strdict(*words: str) -> Map:
    """Make a map of alternating keys and values; a last key without a value gets ``""``.

    >>> dict(strdict("a", "1", "b").items())
    {'a': '1', 'b': ''}
    """
    pairs = zip(words[::2], [*words[1::2], ""], strict=False)
    return STRING_MAP.convert(dict(pairs))


def merge_maps(*maps: Map) -> Map:
    """Merge the maps; later values replace earlier ones. No maps make a nil map."""
    if not maps:
        return STRING_MAP.convert(None)
    return STRING_MAP.convert({key: value for each in maps for key, value in each.items()})


def to_json_map(*maps: Map) -> str:
    """Return the merged maps as JSON; no maps are ``null``."""
    return marshal(merge_maps(*maps))


def omit_nil(value: Value) -> Value:
    """Remove nulls, and the maps and lists that become empty.

    >>> omit_nil({"a": {"b": None}, "c": {}, "d": [None, 1.0]})
    {'c': {}, 'd': [1.0]}
    """
    if value.__class__ is dict:
        return _remove_nil(value)
    if value.__class__ is list:
        left = [each for each in map(omit_nil, value) if each is not None]
        return left or (None if value else value)
    return value


def otel_resource_attributes(
    mesh: Pointer, annotations: Map, labels: Map, namespace: str, containers: Slice
) -> str:
    """Return the value of OTEL_RESOURCE_ATTRIBUTES, or ``""``."""
    raw: Message = mesh.target.raw if mesh.target else {}
    names = dict(annotations.items()), dict(labels.items())
    return otel.resource_attributes(raw, *names, namespace, [*_raw_containers(containers)])


def _remove_nil(entries: dict[str, Value]) -> Value:
    remaining = {key: omit_nil(each) for key, each in entries.items()}
    pruned = {key: each for key, each in remaining.items() if each is not None}
    return pruned or (None if entries else entries)


def add_render(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """Return the functions and ``render``; its templates can call all of them."""

    def render(text: str, *, state: RenderState) -> str:
        """Render the text as a template with the caller's data; ``""`` if that fails."""
        try:
            program = compile_(str(text), name="render", functions=extended)
            if state.slots is None:
                return program.render(state.data, limits=state.limits)
            trace = program.trace(state.data, state.slots, limits=state.limits)
        except (TemplateError, ExecError, LimitError):
            return ""
        return _taint_output(text, trace)

    extended = {
        **functions,
        "render": Function(
            render,
            (STRING,),
            uses_dot=True,
            propagation=Propagation.SELECTS,
            syntax_risk=SyntaxRisk.POSSIBLE,
        ),
    }
    return extended


def _taint_output(template: str, trace: Trace) -> str:
    """Return the output of a template; tainted if its text comes from the pod."""
    if isinstance(template, TaintedText):
        return trace.registry.make_text(trace.text, template.sources) if trace.text else ""
    slots, text, masked = trace.registry, trace.text, trace.masked_text
    if not slots.placeholder_ids(masked):
        return text
    exact = slots.unmask(masked) == text
    return slots.make_masked_text(
        text, masked if exact else slots.loosen(masked, faithful=False), slots.sources_of(masked)
    )


def template_functions(
    profile: Profile, defaults: Message, env: Mapping[str, str], types: mesh_types.MeshTypes
) -> Mapping[str, Function]:
    """Return the functions of one release; *env* contains the variables for ``env``."""
    go_types = kube.types(profile.kubernetes)
    containers = reflect.slice_of(go_types["Container"])

    def lookup(name: str, default: str) -> str:
        return env.get(name) or default

    table = _TABLE | {
        "annotation": _select(
            annotation,
            go_types["ObjectMeta"],
            STRING,
            ANY,
            dependencies=(Dependency(0, ("Annotations", KeyArgument(1))),),
        ),
        "appendMultusNetwork": _derive(partial(multus.append_network, profile), STRING, STRING),
        "applicationPorts": _derive(
            partial(application_ports, profile), containers, dependencies=_NAMES_AND_PORTS
        ),
        "env": _select(lookup, STRING, STRING),
        "includeInboundPorts": _derive(
            partial(include_inbound_ports, profile), containers, dependencies=_NAMES_AND_PORTS
        ),
        "otelResourceAttributes": _derive(
            otel_resource_attributes,
            *(types.pointer(MESH_CONFIG), STRING_MAP, STRING_MAP, STRING, containers),
            dependencies=_OTEL_READS,
        ),
        "protoToJSON": _serialize(
            partial(messages.proto_to_json, defaults if profile.prints_changes_only else {}), ANY
        ),
    }
    return {name: each for name, each in table.items() if profile.has_function(name)}


def _function(
    propagation: Propagation,
    call: Callable[..., Value],
    *parameters: GoType,
    variadic: GoType | None = None,
    dependencies: tuple[Dependency, ...] = (),
    serializer: Serializer | None = None,
) -> Function:
    """A function that makes no YAML syntax of plain text."""
    return Function(
        call,
        parameters,
        variadic,
        dependencies=dependencies,
        propagation=propagation,
        syntax_risk=SyntaxRisk.NONE,
        serializer=serializer,
    )


def _tree_of_json(result: str, *_: Value) -> Value:
    return load(result)


_derive = partial(_function, Propagation.DERIVES)
_select = partial(_function, Propagation.SELECTS)
_test = partial(_function, Propagation.TESTS)
_serialize = partial(
    _function, Propagation.SERIALIZES, serializer=Serializer(_tree_of_json, marshal)
)
_NAMES_AND_PORTS = (Dependency(0, (EACH, "Name")), Dependency(0, (EACH, "Ports")))
_OTEL_READS = (
    *(Dependency(1, (name,)) for name in otel.ANNOTATIONS),
    Dependency(2, (otel.VERSION_LABEL,)),
    Dependency(4, (EACH, "Name")),
    Dependency(4, (EACH, "Image")),
)

_TABLE: dict[str, Function] = {
    "contains": _test(contains, STRING, STRING),
    "directory": _derive(directory, STRING),  # a part that ends with a slash
    "excludeInboundPort": _derive(exclude_inbound_port, ANY, STRING),
    "excludeInterfaces": _select(identity, STRING),
    "formatDuration": _derive(format_duration, mesh_types.DURATION_POINTER),
    "fromJSON": _derive(from_json, STRING),
    "indent": _function(Propagation.CARRIES, indent, INT, STRING),
    "isset": _test(isset, STRING_MAP, STRING, dependencies=(Dependency(0, (KeyArgument(1),)),)),
    "kubevirtInterfaces": _select(identity, STRING),
    "mergeMaps": _select(merge_maps, variadic=STRING_MAP),
    "omit": _select(omit, STRING_MAP, variadic=STRING),
    "omitNil": _select(omit_nil, ANY),
    "strdict": _select(strdict, variadic=STRING),
    "structToJSON": _serialize(struct_to_json, ANY),
    "toJSON": _serialize(to_json, STRING_MAP),
    "toJson": _serialize(to_json, STRING_MAP),
    "toJsonMap": _serialize(to_json_map, variadic=STRING_MAP),
    "toLower": _derive(strings.to_lower, STRING),
    "toYaml": _serialize(to_yaml, ANY, serializer=Serializer(read_tree, to_yaml)),
    "valueOrDefault": _select(value_or_default, ANY, ANY),
}


def _raw_containers(containers: Slice) -> list[Object]:
    return [*(containers.raw or ())]


def _format_ports(profile: Profile, containers: list[Object]) -> str:
    ports = [port for container in containers for port in objects_at(container, "ports")]
    left_out = () if profile.includes_udp_ports else ("UDP", "SCTP")
    counted = (p for p in ports if p.get("protocol") not in left_out)
    return ",".join(str(port.get("containerPort", 0)) for port in counted)
