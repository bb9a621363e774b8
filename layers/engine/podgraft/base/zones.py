"""Time zones by name, from the package tzdata: they are the same on every machine.

The first name imports zoneinfo, which only some policies and templates need.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A day less than datetime has, because the time in the zone must be in its range too.
_FIRST, _LAST = -62_135_510_400, 253_402_214_400


class UnknownZoneError(LookupError):
    """A name that is not in the database."""


def find_zone(name: str, seconds: int) -> tuple[str, int]:
    """The abbreviation and the offset from UTC, in seconds, at a time in seconds since 1970.

    Raises ``UnknownZoneError``, and ``ModuleNotFoundError`` without the package.

    >>> find_zone("Europe/Berlin", 1_800_000_000)
    ('CET', 3600)
    """
    moment = _EPOCH + timedelta(seconds=min(max(seconds, _FIRST), _LAST))
    local = moment.astimezone(_load_zone(name))
    offset = local.utcoffset() or timedelta()
    return local.tzname() or "", int(offset.total_seconds())


@cache
def _load_zone(name: str) -> tzinfo:
    folder = Path(*import_module("tzdata").__path__, "zoneinfo")
    try:
        data = (folder / name).read_bytes() if _NAME.fullmatch(name) else b""
    except OSError:
        data = b""
    if not data.startswith(b"TZif"):  # the package has tables and folders too
        raise UnknownZoneError(name)
    return import_module("zoneinfo").ZoneInfo.from_file(BytesIO(data), key=name)
