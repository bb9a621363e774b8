"""The names of injectors, which are the rule of ``podgraft.identifiers``."""

from podgraft.identifiers import DEFAULT_INJECTOR
from podgraft.identifiers import is_injector as is_name

__all__ = ["DEFAULT_INJECTOR", "is_name"]
