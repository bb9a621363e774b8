"""Stands for Flask's command line, which a function never has: an application keeps one anyway."""


class AppGroup:
    """The commands of an application or a blueprint: none."""

    name: str | None = None
    commands: dict[str, object] = {}  # noqa: RUF012 — nobody adds any
