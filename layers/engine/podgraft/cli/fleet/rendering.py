"""The registrations of a fleet as files for GitOps: ``CLUSTER/registration.yaml``.

A token in the path of a webhook is a secret, and no controller can put one there from a ``Secret``.
So a cluster with a token in the path needs the file of its token, or a registrar.
"""

from collections.abc import Callable, Container, Iterator
from pathlib import Path

from podgraft.base.jsonvalue import Object
from podgraft.cli.folders import list_subfolders
from podgraft.cli.outputs import PUBLIC, SECRET, Output
from podgraft.cli.register import auth_info
from podgraft.kube import yaml

from . import registrar
from .file import Fleet
from .rotation import Front
from .settings import PATH, make_manifests

FILE = "registration.yaml"


def render_registrations(
    fleet: Fleet,
    front: Front,
    folder: Path,
    tokens: Path | None,
    make_registrar: Callable[[str], list[Object]] | None,
) -> Iterator[Output | str]:
    """Yield the file of each cluster that ``fleet apply`` does not register.

    ``tokens`` contains the token of each cluster, in a file with its name. A cluster that needs one
    and has none is its name, after the file of its registrar if there is one. Raises
    ``CommandError`` and ``OSError``.
    """
    for name, settings in sorted(fleet.clusters.items()):
        if settings.is_registered_here or not settings.injectors:
            continue
        token = None
        if settings.credential == PATH:
            file = None if tokens is None else tokens / name
            if file is None or not file.exists():
                if make_registrar is not None:
                    text = _dump(make_registrar(name))
                    yield Output(folder / name / registrar.FILE, text, PUBLIC)
                yield name
                continue
            token = auth_info.read_token(file)
        manifests = make_manifests(front.endpoint, front.ca_bundle, settings, token)
        yield Output(folder / name / FILE, _dump(manifests), SECRET if token else PUBLIC)


def _dump(manifests: list[Object]) -> bytes:
    return "---\n".join(map(yaml.dump, manifests)).encode()


def find_others(folder: Path, fleet: Fleet, written: Container[Path]) -> Iterator[Path]:
    """Yield the files of clusters that left the fleet, and those that a *written* one replaces."""
    paths = (
        cluster / name for cluster in list_subfolders(folder) for name in (FILE, registrar.FILE)
    )
    for path in sorted(path for path in paths if path.exists()):
        is_replaced = any(path.with_name(each) in written for each in (FILE, registrar.FILE))
        if path.parent.name not in fleet.clusters or (path not in written and is_replaced):
            yield path
