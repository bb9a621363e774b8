"""The table of types: fresh, as Go prints it, and true to every release."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import kube_types
from podgraft import kube
from podgraft.base.jsonvalue import JSON
from podgraft.golang.reflect import Field, GoType, Kind, Slice, Struct
from podgraft.kube.types import NEWEST, STRUCTS, KubeTypes

RELEASES = range(10, NEWEST + 1)


def names(type_: GoType) -> list[str]:
    return [field.name for field in type_.fields]


def test_the_table_is_what_its_data_states() -> None:
    assert kube_types.TARGET.read_text(encoding="utf-8") == kube_types.make_table()
    assert kube_types.main(["--check"]) == 0


def test_types_are_named_as_go_prints_them() -> None:
    spec = kube.TYPES["PodSpec"]
    printed = {field.name: field.type.name for field in spec.fields}
    assert spec.name == "v1.PodSpec"
    assert printed["Containers"] == "[]v1.Container"
    assert printed["DNSPolicy"] == "v1.DNSPolicy"
    assert printed["SecurityContext"] == "*v1.PodSecurityContext"
    assert printed["NodeSelector"] == "map[string]string"
    assert printed["Overhead"] == "v1.ResourceList"
    assert kube.TYPES["types.UID"].name == "types.UID"
    assert kube.TYPES["intstr.IntOrString"].name == "intstr.IntOrString"


def test_fields_have_their_tags() -> None:
    fields = {field.name: field for field in kube.TYPES["PodSpec"].fields}
    assert fields["Volumes"] == Field(
        "Volumes",
        kube.TYPES["PodSpec"].fields[0].type,
        "volumes",
        omitempty=True,
        merge_key="name",
        patch_strategy=("merge", "retainKeys"),
    )
    assert not fields["Containers"].omitempty
    assert [field.inline for field in kube.POD.fields] == [True, False, False, False]


def test_absent_values_are_go_s_zero_values() -> None:
    pod: Struct = kube.POD.convert({})
    spec = pod.field("Spec")
    assert (spec.field("NodeName"), spec.field("HostNetwork")) == ("", False)
    assert isinstance(spec.field("Containers"), Slice)
    assert not spec.field("SecurityContext")
    assert pod.field("Name") == pod.field("ObjectMeta").field("Name") == ""


@pytest.mark.parametrize("minor", RELEASES)
def test_every_release_has_whole_types(minor: int) -> None:
    """Each type of each release is made, and no struct has two fields under one name."""
    types = kube.types(minor)
    for name in types:
        made = types[name]
        assert len({field.json for field in made.fields if field.json}) == len(
            [field for field in made.fields if field.json]
        )
        assert len({*names(made)}) == len(made.fields)
    assert len([*types]) == len(types)
    assert set(types) >= {*STRUCTS, "string", "Time"}


# What came and went (k8s.io/api): the field and the minors that have it.
HISTORY = (
    ("Container", "StartupProbe", range(16, 99)),
    ("Container", "RestartPolicy", range(28, 99)),
    ("Container", "RestartPolicyRules", range(34, 99)),
    ("EnvVarSource", "FileKeyRef", range(34, 99)),
    ("Lifecycle", "StopSignal", range(33, 99)),
    ("ObjectMeta", "ClusterName", range(24)),
    ("PodCertificateProjection", "UserAnnotations", range(35, 99)),
    ("PodSecurityContext", "SELinuxChangePolicy", range(32, 99)),
    ("PodSpec", "HostnameOverride", range(34, 99)),
    ("PodSpec", "Resources", range(32, 99)),
    ("PodSpec", "SchedulingGroup", range(36, 99)),
    ("PodSpec", "WorkloadRef", range(35, 36)),
    ("Probe", "Handler", range(23)),
    ("Probe", "ProbeHandler", range(23, 99)),
    ("VolumeProjection", "PodCertificate", range(34, 99)),
)


@pytest.mark.parametrize(("struct", "field", "minors"), HISTORY)
def test_fields_come_and_go_with_releases(struct: str, field: str, minors: range) -> None:
    for minor in RELEASES:
        assert (field in names(kube.types(minor)[struct])) == (minor in minors), minor


def test_what_a_release_does_not_know_it_drops() -> None:
    container: JSON = {"name": "a", "restartPolicy": "Always", "livenessProbe": {"exec": {}}}
    old = kube.decode(kube.types(10)["Container"], container)
    assert old == {"name": "a", "livenessProbe": {"exec": {}}}
    assert kube.decode(kube.CONTAINER, container) == container


def test_an_unknown_newer_release_has_the_newest_types() -> None:
    assert kube.types(99) is kube.types() is kube.TYPES
    assert kube.types(30) is kube.types(30)


@pytest.mark.parametrize("kind", [["Pod"], {"Pod": 1}, 1, None])
def test_an_object_with_an_invalid_kind_has_no_type(kind: JSON) -> None:
    assert kube.object_type({"kind": kind, "apiVersion": "v1"}) is None


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        kube.TYPES["Sidecar"]


def test_ports_and_quantities_are_structs_to_templates() -> None:
    assert kube.TYPES["intstr.IntOrString"].kind is Kind.STRUCT
    assert kube.TYPES["resource.Quantity"].convert("1.5").field("Format") == "DecimalSI"


SPECIAL: tuple[tuple[str, JSON], ...] = (
    ("resource.Quantity", "1500m"),
    ("intstr.IntOrString", "http"),
    ("intstr.IntOrString", 80),
    ("Time", "2024-01-02T03:04:05Z"),
    ("FieldsV1", {"f:a": {}}),
    ("resource.Quantity", None),
)


@pytest.mark.parametrize(("name", "raw"), SPECIAL)
def test_what_is_of_the_type_already_stays_what_it_is(name: str, raw: JSON) -> None:
    made = kube.TYPES[name].convert(raw)
    assert made.type is kube.TYPES[name]
    assert kube.TYPES[name].convert(made) is made


@pytest.mark.parametrize(
    ("port", "number"),
    [(80, 80), ("-80", -80), ("http", 0), ("9" * 20, 2**63 - 1), ("-" + "9" * 5000, -(2**63))],
)
def test_the_number_of_a_port_is_the_nearest_int(port: JSON, number: int) -> None:
    """strconv.Atoi without its error."""
    struct = kube.TYPES["intstr.IntOrString"].convert(port)
    assert struct.type.methods["IntValue"].call(struct) == number


def test_fields_v1_are_bytes_to_templates() -> None:
    fields: Struct = kube.TYPES["FieldsV1"].convert({"f:a": {}})
    assert bytes(fields.field("Raw")) == b'{"f:a":{}}'


def test_threads_that_come_at_once_get_the_same_types() -> None:
    """A second object for one Go type would be another type to the template engine."""
    everything = KubeTypes(30)
    with ThreadPoolExecutor(8) as pool:
        rounds = [*pool.map(_reachable_types, [everything] * 16)]
    assert all(touched == rounds[0] for touched in rounds)


def _reachable_types(types: KubeTypes) -> list[tuple[GoType, ...]]:
    return [tuple(field.type for field in types[name].fields) for name in STRUCTS]
