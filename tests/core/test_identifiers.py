"""The ids of injectors and clusters: one rule, and one message for each kind."""

import pytest

from podgraft.core.identifiers import (
    CLUSTER_REMEDY,
    INJECTOR_REMEDY,
    IdentifierError,
    check_cluster,
    check_injector,
    is_cluster,
    is_injector,
)

RESERVED = ("auth", "healthz", "inject", "k", "mutate", "ping", "readyz", "validate")


@pytest.mark.parametrize("name", ["a", "istio", "istio-1-30", "0", "a" * 63])
def test_a_dns_label_is_the_name_of_an_injector(name: str) -> None:
    assert is_injector(name)
    assert check_injector(name) == name


@pytest.mark.parametrize(
    "name", ["", "Istio", "Istio/1", "a_b", "-a", "a-", "a" * 64, "a.b", "a\n", "ä", ".."]
)
def test_another_text_is_the_name_of_no_injector(name: str) -> None:
    assert not is_injector(name)
    with pytest.raises(IdentifierError) as error:
        check_injector(name)
    assert str(error.value).startswith('injector: got "')
    assert str(error.value).endswith(f'"; {INJECTOR_REMEDY}')
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", RESERVED)
def test_the_names_of_routes_and_callers_are_reserved(name: str) -> None:
    assert not is_injector(name)
    with pytest.raises(IdentifierError) as error:
        check_injector(name)
    assert str(error.value) == f'injector: "{name}" is a reserved name; use another name'


@pytest.mark.parametrize("name", ["a", "prod-eu", "arn_1.x", "_x", "9", "A" * 100])
def test_the_id_of_a_cluster_is_a_file_a_parameter_and_a_common_name(name: str) -> None:
    assert is_cluster(name)
    assert check_cluster(name) == name


@pytest.mark.parametrize(
    "name", ["", "../x", "..", "a/b", "a b", "a,CN=prod-eu", "a+CN=b", "x\ny", "-a", "a" * 101, "ä"]
)
def test_another_text_is_the_id_of_no_cluster(name: str) -> None:
    assert not is_cluster(name)
    with pytest.raises(IdentifierError) as error:
        check_cluster(name)
    assert str(error.value).startswith('cluster: got "')
    assert str(error.value).endswith(f'"; {CLUSTER_REMEDY}')
    assert "\n" not in str(error.value)
