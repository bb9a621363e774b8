"""The grammar of review paths, and that the web application routes by it."""

from random import Random

import pytest
from werkzeug.routing import MapAdapter

from podgraft.core.identifiers import is_injector
from podgraft.service import paths
from podgraft.service.http import create_app
from podgraft.service.paths import ROUTES, Target
from podgraft.service.store.folder import FolderCallers, FolderStore
from support.effort import IS_LONG

PATHS: tuple[tuple[str, Target | None], ...] = (
    ("/inject", Target("inject")),
    ("/inject/", Target("inject")),
    ("/istio/mutate", Target("mutate", "istio")),
    ("/validate/a/b", Target("validate", tail="a/b")),
    ("/istio/inject/cluster/prod/", Target("inject", "istio", "cluster/prod")),
    ("/inject/inject", Target("inject", tail="inject")),
    ("/mutate/inject", Target("mutate", tail="inject")),
    ("/inject/mutate/x", Target("inject", tail="mutate/x")),
    ("/k/inject", Target("inject", "k")),
    ("/Ä/inject/ß", Target("inject", "Ä", "ß")),
    ("/injector/inject", Target("inject", "injector")),
    ("/", None),
    ("", None),
    ("inject", None),
    ("//inject", None),
    ("/inject//x", None),
    ("/inject/x//", None),
    ("/a/b/inject", None),
    ("/injects", None),
    ("/ping", None),
)


@pytest.mark.parametrize(("path", "target"), PATHS)
def test_a_path_has_one_target(path: str, target: Target | None) -> None:
    assert paths.parse(path) == target


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> MapAdapter:
    """The routes of the web application."""
    folder = tmp_path_factory.mktemp("store")
    return create_app(FolderStore(folder), FolderCallers(folder)).url_map.bind("")


SEGMENTS = (*ROUTES, "istio", "k", "", "ping", "x", "a b", "ß", "\n", "%2F", ".", "..", "-")


def test_the_application_routes_by_the_grammar(adapter: MapAdapter) -> None:
    random = Random(1)  # noqa: S311 - the same paths each time
    found = 0
    for _ in range(100_000 if IS_LONG else 3000):
        path = "/" + "/".join(random.choices(SEGMENTS, k=random.randrange(1, 6)))
        if path.startswith("//"):  # the application refuses these before its routes
            continue
        target = paths.parse(path)
        is_routed = adapter.test(path, method="POST")
        assert is_routed is (target is not None), path
        if is_routed:
            assert adapter.match(path, method="POST")[1] == {"target": target}
            found += 1
    assert found > 100


TARGETS = (
    (Target("inject"), None, "/inject"),
    (Target("mutate", "istio"), None, "/istio/mutate"),
    (Target("inject", "istio", "cluster/prod"), "SECRET", "/k/SECRET/istio/inject/cluster/prod"),
)


@pytest.mark.parametrize(("target", "token", "path"), TARGETS)
def test_a_path_is_written_and_read(target: Target, token: str | None, path: str) -> None:
    assert paths.format_path(target, token) == path
    read_token, rest = paths.split_token(path)
    assert (read_token, paths.parse(rest)) == (token, target)


@pytest.mark.parametrize("name", [*ROUTES, "k", "ping", "healthz", "readyz"])
def test_a_name_in_the_grammar_is_no_injector(name: str) -> None:
    assert not is_injector(name)
