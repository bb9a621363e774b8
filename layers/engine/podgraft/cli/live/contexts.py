"""The same reads in several contexts of a kubeconfig, some of them at the same time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import click
from click.globals import push_context
from msgspec.structs import replace

from podgraft.cli.failure import CommandError

from .cluster import LiveCluster
from .kubectl import KubectlReader
from .options import ClusterAccess

T = TypeVar("T")

_PARALLEL = 8
CONTEXTS_OPTION = click.option(
    "--contexts", metavar="all|A,B", help="Several contexts instead of --context."
)


def list_contexts(access: ClusterAccess, contexts: str | None) -> list[str]:
    """Return the contexts to read; an empty name is the current context.

    Raises ``UsageError``, or ``CommandError`` without contexts.
    """
    if contexts is None:
        return [access.context or ""]
    if access.context is not None:
        raise click.UsageError("--context and --contexts exclude each other; use one of them")
    if contexts != "all":
        names = contexts.split(",")
        if "" in names:  # which would be the current context
            raise click.UsageError(f"--contexts: got {contexts!r}; use all, or names as A,B")
        return names
    names = KubectlReader(kubeconfig=access.kubeconfig).list_contexts()
    if not names:
        raise CommandError("kubeconfig: has no context; set KUBECONFIG, or use --kubeconfig")
    return names


def read_all(
    access: ClusterAccess, names: Sequence[str], read: Callable[[LiveCluster, str], T]
) -> list[T]:
    """Return what *read* returns for the cluster and the name of each context, in this order."""

    def read_context(name: str) -> T:
        cluster = replace(access, context=name or None).open_cluster()
        return read(cluster, name or cluster.reader.name)

    # AWS is also called in the threads, with the options of the command.
    command = click.get_current_context()
    with ThreadPoolExecutor(_PARALLEL, initializer=push_context, initargs=(command,)) as pool:
        return [*pool.map(read_context, names)]
