"""No cache grows with the number of pods: it has a limit, or its keys come from the code."""

import ast
import gc
import pkgutil
from collections.abc import Iterator
from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]  to find them by
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import podgraft
from bench import soak
from bench.bench_input import BenchmarkInput, sample_input
from podgraft.core.versions.errors import UnknownInjectorError
from podgraft.service.http import create_app
from podgraft.service.store.folder import FolderCallers, FolderStore

# Caches without a limit, by what their keys are. None of it comes out of a pod.
UNBOUNDED = {
    "Go's types": {
        "golang.json.marshal._fields",
        "golang.json.marshal._find_marshaler",
        "golang.sprig.deepcopy._has_private_fields",
        "core.census.redaction._recorded_fields",
        "kube.patch.strategic.schema._fields_by_any_key",
        "golang.reflect.types.fields_by_key",
        "golang.reflect.constructors.map_of",
        "golang.reflect.constructors.pointer_to",
        "golang.reflect.constructors.slice_of",
        "core.injectors.overlay.data.data_type",
        "core.injectors.overlay.paths.find_merge_keys",
        "kube.decoding._decoder",
        "kube.encoding._encoder",
        "kube.usual_values.make_type",
    },
    "names of types and enums in the tables": {
        "core.injectors.istio.config.protojson.enum",
        "core.injectors.istio.data.mesh_types._enum_type",
        "core.injectors.istio.data.mesh_types._well_known_type",
        "kube.types._scalar",
    },
    "releases": {
        "core.injectors.istio.config.mesh.defaults",
        "core.injectors.istio.config.protojson.schema",
        "core.injectors.istio.config.values_types._message_fields",
        "core.injectors.istio.data.mesh_types.types",
        "core.injectors.istio.data.template_data.dot_type",
        "core.injectors.istio.legacy.sidecarspec._spec_type",
        "core.injectors.istio.releases._profile",
        "core.injectors.istio.workloads._owner_rules",
        "kube.structured.schema._release_kinds",
        "kube.structured.schema.release_schema",
        "kube.types._release",
    },
    "time zones": {"base.zones._load_zone"},
    "delimiters of templates": {"golang.texttemplate.parse.lexer._pattern"},
    "nothing": {"cli.command_help.read_examples", "golang.strconv.quote._boundaries"},
}


# Caches with a limit, by the module that has them. PODGRAFT_CACHES=off turns off those of reviews.
BOUNDED = {
    "of a configuration, for reviews": {
        "core.injectors.istio.render.rendering",
        "kube.yaml.incremental",
    },
    "of the compilation of rules": {
        "kube.cel.declarations",
        "kube.cel.program",
        "kube.cel.types",
    },
    "state of the census: which workloads are stored": {"service.store.census"},
    "of one command": {"cli.compare.pod_comparer", "cli.policy.preview.dependence"},
}


def _modules_with_limited_caches() -> Iterator[str]:
    root = Path(podgraft.__path__[0])
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in {"LRUCache", "lru_cache"}:
                yield ".".join(path.relative_to(root).with_suffix("").parts)


def test_a_cache_with_a_limit_is_in_the_table() -> None:
    assert {*_modules_with_limited_caches()} == set().union(*BOUNDED.values())


def _caches() -> Iterator[tuple[str, Any]]:
    """Every ``functools`` cache of the package, by its name within it."""
    for module in pkgutil.walk_packages(podgraft.__path__, "podgraft."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.unfreeze()  # a test that imported the handler froze what was there
    known: list[Any] = gc.get_objects()
    for found in known:
        if type(found) is _lru_cache_wrapper:
            name = f"{found.__module__}.{vars(found).get('__qualname__', '')}"
            if name.startswith("podgraft."):
                yield name.removeprefix("podgraft."), found


def _find_unbounded_caches() -> dict[str, Any]:
    return {name: each for name, each in _caches() if each.cache_parameters()["maxsize"] is None}


def test_a_cache_without_a_limit_is_in_the_table() -> None:
    assert set(_find_unbounded_caches()) == set().union(*UNBOUNDED.values())


@pytest.fixture
def world() -> BenchmarkInput:
    return sample_input()


@pytest.fixture
def client(world: BenchmarkInput, tmp_path: Path) -> FlaskClient:
    folder = world.write_store(tmp_path)
    store, callers = FolderStore(folder), FolderCallers(folder)
    return create_app(store, callers, request_log=lambda _: None).test_client()


def _send(client: FlaskClient, event: dict[str, Any]) -> int:
    http = event["requestContext"]["http"]
    answer = client.post(
        event["rawPath"],
        data=event["body"],
        headers=event["headers"],
        environ_overrides={"REMOTE_ADDR": http["sourceIp"]},
    )
    return answer.status_code


def test_caches_without_a_limit_do_not_grow_with_reviews(
    client: FlaskClient, world: BenchmarkInput
) -> None:
    def sizes(numbers: range) -> dict[str, int]:
        codes = {_send(client, soak.mixed_event(world, number)) for number in numbers}
        assert codes == {200, 400, 401, 404}
        return {
            name: cache.cache_info().currsize for name, cache in _find_unbounded_caches().items()
        }

    first = sizes(range(40))
    assert first["kube.decoding._decoder"]
    assert sizes(range(40, 160)) == first


def test_missing_injectors_are_not_cached(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for number in range(100):
        with pytest.raises(UnknownInjectorError):
            store.snapshot(f"injector-{number}", None)
    assert not store._injectors  # pyright: ignore[reportPrivateUsage]  what would grow
