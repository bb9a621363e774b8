"""Take root's right to read and change every file from this thread, and return it.

The user remains root, so the thread can import modules from folders that only root can read.
"""

import ctypes
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

_VERSION_3 = 0x20080522  # linux/capability.h
_CAPABILITIES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """The effective, permitted, and inheritable capabilities, in two words each."""

    _fields_ = tuple(
        (name, ctypes.c_uint32)
        for name in ("effective", "permitted", "inheritable", "high_1", "high_2", "high_3")
    )


@contextmanager
def without_roots_rights() -> Generator[None]:
    """Let this thread, and threads that it starts, obey the modes of files; a program does not."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        raise OSError("root reads every file; run the tests as another user")
    libc = ctypes.CDLL(None, use_errno=True)
    before, reduced = _read_sets(libc), _read_sets(libc)
    for number in _CAPABILITIES:
        reduced.effective &= ~(1 << number)
    _check(libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), ctypes.byref(reduced)))
    try:
        yield
    finally:
        _check(libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), ctypes.byref(before)))


def _read_sets(libc: ctypes.CDLL) -> _Sets:
    sets = _Sets()
    _check(libc.capget(ctypes.byref(_Header(_VERSION_3, 0)), ctypes.byref(sets)))
    return sets


def _check(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
