"""The commands that a demo prints at its end. Each works as printed, in the same folder."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct


class Outcome(Struct, frozen=True):
    """What the demo did with one object: its file, its kind, and whether a patch changed it."""

    file: str
    kind: str
    is_patched: bool


def find_program() -> str:
    """How the user calls podgraft: by its name if PATH finds this installation, else by its path.

    The path is relative to the working folder if it is below it.
    """
    program = Path(sys.executable).with_name("podgraft")
    if not program.exists():
        return shlex.join([sys.executable, "-m", "podgraft"])
    on_path = shutil.which("podgraft")
    if on_path and Path(on_path).absolute() == program.absolute():
        return "podgraft"
    relative = os.path.relpath(program)
    return shlex.quote(str(program) if relative.startswith(os.pardir) else relative)


def find_next_steps(
    sample: str, folder: Path, outcomes: Sequence[Outcome], others: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield purposes and commands, without the program, after a demo of *sample* in *folder*."""
    store = folder / "store"
    documents = _join("--config", store / sample)
    explained = max(reversed(outcomes), key=lambda outcome: outcome.is_patched)
    yield (
        "Show each step of the decision. Change the object or the policy, and repeat it.",
        f"explain {_join('-f', folder / explained.file)} {documents}",
    )
    yield ("Check the policy and the bundle after a change.", f"check {_join(store / sample)}")
    if explained.is_patched and explained.kind == "Pod":
        yield (
            "Print the injected pod, without a server.",
            f"inject --webhook {_join('-f', folder / explained.file)} {documents}",
        )
    yield from _find_server_steps(sample, folder)
    yield (f"Run another sample: {', '.join(others)}.", f"demo {others[0]}")


def _find_server_steps(sample: str, folder: Path) -> Iterator[tuple[str, str]]:
    store = folder / "store"
    keys = folder / "certificates"
    yield (
        "Serve the store to a cluster. Ctrl+C stops it.",
        _join(
            *("serve", "--store", store, "--cert", keys / "server.pem"),
            *("--key", keys / "server.key", "--host", "127.0.0.1", "--port", "8443"),
        ),
    )
    yield (
        "Print the registration of that server for a cluster.",
        _join(
            *("register", "--url", "https://127.0.0.1:8443", "--allow-loopback"),
            *("--injector", sample, "--cluster", "demo", "--token-file", folder / "token"),
            *("--ca-bundle", keys / "ca.pem", "--server-cert", keys / "server.pem"),
            *("--namespace-selector", "istio-injection=enabled"),
        ),
    )


def _join(*words: str | Path) -> str:
    return shlex.join(map(str, words))
