"""A Lambda layer as ``build_layer.py`` leaves it, looked at from outside."""

import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LAYERS = Path(__file__).parents[3] / "layers"

# Lib/importlib/_bootstrap_external.py of each release.
MAGIC = {"python3.12": 3531, "python3.13": 3571, "python3.14": 3627}
# e_machine, ELF-64 Object File Format.
MACHINES = {62: "x86_64", 183: "arm64"}
# PEP 552: a hash instead of a time stamp (bit 0) that nobody compares (bit 1 is off).
UNCHECKED_HASH = 1


@dataclass(frozen=True, slots=True)
class Target:
    """A Lambda that layers are built for."""

    runtime: str
    architecture: str

    def __str__(self) -> str:
        return f"{self.runtime}-{self.architecture}"

    @property
    def abi(self) -> str:
        """``cpython-313`` for python3.13."""
        return f"cpython-{self.runtime.removeprefix('python').replace('.', '')}"


def assemble(target: Target, *arguments: str | Path, **environment: str) -> str:
    """Fill a layer as ``make build`` does; what was said about it."""
    done = subprocess.run(
        [sys.executable, LAYERS / "build_layer.py", *arguments],
        env={
            **os.environ,
            "PODGRAFT_RUNTIME": target.runtime,
            "PODGRAFT_ARCHITECTURE": target.architecture,
            **environment,
        },
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def elf_machine(library: Path) -> str:
    """The processor that an ELF file is for."""
    head = library.read_bytes()[:20]
    assert head[:5] == b"\x7fELF\x02", f"{library.name} is no 64-bit ELF file"
    [machine] = struct.unpack_from("<H", head, 18)
    return MACHINES.get(machine, str(machine))


def pyc_header(compiled: Path) -> tuple[int, int]:
    """Magic number and flags of a .pyc (PEP 552)."""
    magic, line_end, flags = struct.unpack("<H2sI", compiled.read_bytes()[:8])
    assert line_end == b"\r\n"
    return magic, flags


def find_uncompiled(layer: Path, target: Target) -> list[Path]:
    """Modules without bytecode for the target."""
    return [
        path
        for path in layer.rglob("*.py")
        if not (path.parent / "__pycache__" / f"{path.stem}.{target.abi}.pyc").exists()
    ]
