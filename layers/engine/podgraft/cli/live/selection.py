"""Which pods of a cluster a command reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSelection:
    """Which pods to read; ``namespace`` is None if no option names one."""

    namespace: str | None = None
    all_namespaces: bool = False
    selector: str | None = None
