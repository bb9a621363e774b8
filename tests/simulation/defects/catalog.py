"""The catalog of planted defects: what goes wrong, where, and the laws that can find it.

A run cannot show a defect without the actions, faults, or features that ``needs`` names, so the
proof skips such seeds.
"""

from __future__ import annotations

from . import commands, engine, mended
from .defect import Defect

DEFECTS: dict[str, Defect] = {**engine.DEFECTS, **commands.DEFECTS}
# Those that the product had, by the name of their script.
MENDED: dict[str, Defect] = mended.DEFECTS
ALL_DEFECTS: dict[str, Defect] = {**DEFECTS, **MENDED}
