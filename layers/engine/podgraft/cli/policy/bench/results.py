"""Measurements: samples for each row, as values and as a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from podgraft.base import jsonvalue
from podgraft.cli import documents
from podgraft.cli.failure import CommandError

FORMAT = "podgraft-bench/v1"


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The samples of one row: the seconds for one object, on average of each round."""

    name: str
    objects: int
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the samples."""
        return median(self.seconds)


class Measurement(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All rows of one version.

    ``calibration`` are the seconds of fixed work in each round, which depends only on the machine.
    ``objects`` is the digest of the measured objects.
    """

    name: str
    objects: str
    calibration: tuple[float, ...]
    rows: tuple[Row, ...]

    def find_row(self, name: str) -> Row | None:
        """The row of this name, if there is one."""
        return next((row for row in self.rows if row.name == name), None)

    def relative(self) -> Measurement:
        """The measurement in units of the calibration, to compare different machines."""
        unit = median(self.calibration)
        rows = (
            msgspec.structs.replace(row, seconds=tuple(each / unit for each in row.seconds))
            for row in self.rows
        )
        return msgspec.structs.replace(self, rows=tuple(rows))

    def to_json(self) -> Mapping[str, jsonvalue.JSON]:
        """The measurement for a file, with the statistics of each row."""
        rows: list[jsonvalue.JSON] = [_encode_row(row) for row in self.rows]
        return {
            "format": FORMAT,
            "name": self.name,
            "objects": self.objects,
            "calibration": [*self.calibration],
            "rows": rows,
        }


def _encode_row(row: Row) -> jsonvalue.Object:
    return {
        "name": row.name,
        "objects": row.objects,
        "medianSeconds": row.median,
        "minSeconds": min(row.seconds),
        "maxSeconds": max(row.seconds),
        "seconds": [*row.seconds],
    }


def read_measurement(path: Path) -> Measurement:
    """Read a saved measurement; raises ``CommandError``."""
    remedy = "save one with podgraft policy bench -o json"
    try:
        value = jsonvalue.load(documents.read_text(path).encode())
        saved = value.get("measurement", value) if isinstance(value, dict) else value
        if not isinstance(saved, dict) or saved.get("format") != FORMAT:
            raise CommandError(f"{path}: expected a measurement of format {FORMAT}; {remedy}")
        measurement = msgspec.convert(saved, Measurement)
    except (jsonvalue.NotJSONError, msgspec.ValidationError) as error:
        raise CommandError(f"{path}: invalid measurement: {error}; {remedy}") from error
    if not _has_positive_samples([measurement.calibration, *(r.seconds for r in measurement.rows)]):
        raise CommandError(f"{path}: invalid measurement: a row has no valid samples; {remedy}")
    return msgspec.structs.replace(measurement, name=str(path))


def _has_positive_samples(samples: Sequence[Sequence[float]]) -> bool:
    return all(each and min(each) >= 0 and median(each) > 0 for each in samples)
