"""A compiled template."""

from collections.abc import Mapping

from podgraft.govalue import Value

from .functions import Function
from .limits import Limits


class Program:
    """A compiled template: ``render`` it as often as you like, with any data."""

    def render(self, data: Value, *, limits: Limits = Limits()) -> str:  # noqa: B008 - frozen
        """Execute the template; raises ``ExecError`` or ``LimitError``."""
        raise NotImplementedError


def compile_(
    text: str,
    *,
    name: str,
    functions: Mapping[str, Function],
    delimiters: tuple[str, str] = ("{{", "}}"),
) -> Program:
    """Compile ``text``; raises ``TemplateError``."""
    raise NotImplementedError
