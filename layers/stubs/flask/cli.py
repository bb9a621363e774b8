"""Stub of Flask's command line, which a Flask application requires."""


class AppGroup:
    """The commands of an application or a blueprint: none."""

    name: str | None = None
    commands: dict[str, object] = {}  # noqa: RUF012 — nobody adds any
