"""``podgraft import``: configurations of other injectors, as a bundle and a policy."""

from .commands import command

__all__ = ["command"]
