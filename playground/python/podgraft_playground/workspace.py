"""The input of a request as files of a folder, which the functions of the command line read.

Error messages therefore name the same paths as ``podgraft explain`` in the downloaded folder.
"""

import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

POD, BUNDLE, POLICY, WEBHOOKS = "pod.yaml", "bundle", "policy.yaml", "webhooks.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What the page sends: texts of files, and options of ``podgraft explain``."""

    pod: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    policy: str = ""
    webhooks: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def arguments(self) -> list[str]:
        """The arguments of ``podgraft explain`` in the folder of the input."""
        arguments = ["-f", POD, "--config", "."]
        if self.webhooks.strip():
            arguments += ["--webhook-config", WEBHOOKS]
        for name, value in self.options.items():
            if value:
                arguments += [f"--{name}", value]
        return arguments

    @property
    def texts(self) -> dict[str, str]:
        """The texts by the path of their file."""
        files = {f"{BUNDLE}/{name}": text for name, text in self.files.items()}
        optional = {POLICY: self.policy, WEBHOOKS: self.webhooks}
        given = {name: text for name, text in optional.items() if text.strip()}
        return {POD: self.pod, **files, **given}


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Replace the content of a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / BUNDLE).mkdir(parents=True)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@contextmanager
def working_directory(folder: Path) -> Generator[None]:
    """Work in a folder, which relative paths in messages start from."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
