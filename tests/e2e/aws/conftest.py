"""One ministack and both stages of samconfig.toml for all tests of this folder."""

from collections.abc import Generator
from pathlib import Path

import pytest

from e2e.aws.cloud import Cloud, Stack, Stage, Tools, built, deploy_stack, find_tools, ministack


@pytest.fixture(scope="session")
def tools() -> Tools:
    """The environments that ``make e2e-aws`` makes."""
    return find_tools()


@pytest.fixture(scope="session")
def cloud(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Cloud]:
    """AWS on loopback."""
    with ministack(tools, tmp_path_factory.mktemp("aws")) as running:
        yield running


@pytest.fixture(scope="session")
def build(cloud: Cloud) -> Generator[Path]:
    """The template, its layers, and its function, as both stages deploy them."""
    with built(cloud) as folder:
        yield folder


@pytest.fixture(scope="session")
def stack(cloud: Cloud, build: Path) -> Generator[Stack]:
    """The dev stage, with a census, and a refresh so short that a test can wait for it."""
    with deploy_stack(cloud, build, Stage("default"), "Census=true") as running:
        yield running


@pytest.fixture(scope="session")
def prod(cloud: Cloud, build: Path, stack: Stack) -> Generator[Stack]:
    """The prod stage, beside the dev stage in one account and region."""
    del stack
    with deploy_stack(cloud, build, Stage("prod")) as running:
        yield running
