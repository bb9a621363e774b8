"""A Lambda for which layers are built, and the values of markers there."""

import platform
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from build_layer import MACHINES

# Without python3.11: its Lambda is Amazon Linux 2, with an older glibc than wheels can need.
RUNTIMES = ("python3.12", "python3.13", "python3.14")
ARCHITECTURES = tuple(MACHINES)


@dataclass(frozen=True, slots=True)
class Target:
    """Runtime and processor of a Lambda."""

    runtime: str
    architecture: str

    def __str__(self) -> str:
        return f"{self.runtime}-{self.architecture}"

    @property
    def markers(self) -> Mapping[str, str]:
        """The environment that PEP 508 markers test."""
        version = self.runtime.removeprefix("python")
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": MACHINES[self.architecture],
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": f"{version}.0",
            "python_version": version,
            "sys_platform": "linux",
        }


TARGETS = tuple(Target(runtime, each) for runtime in RUNTIMES for each in ARCHITECTURES)


def describe_builder() -> dict[str, str]:
    """The versions on which the bytes of an archive depend."""
    return {
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "system": platform.system(),
    }
