"""The names of injectors, which are the rule of ``podgraft.core.identifiers``."""

from podgraft.core.identifiers import DEFAULT_INJECTOR
from podgraft.core.identifiers import is_injector as is_name

__all__ = ["DEFAULT_INJECTOR", "is_name"]
