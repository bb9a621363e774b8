"""ministack, with the values of the parameters for SAM. The Python of ministack runs this file.

CloudFormation gives a transform the values of the template's parameters. ministack gives SAM none,
so a version whose hash contains a parameter would never change there.
"""

import sys
from collections.abc import Mapping
from contextvars import ContextVar
from importlib import import_module
from typing import Any

_PACKAGE = "ministack.services.cloudformation"
_VALUES: ContextVar[Mapping[str, Any] | None] = ContextVar("parameters", default=None)


def main() -> None:
    """Start ministack with parameters for SAM."""
    server: Any = import_module("ministack.app")
    _pass_parameters()
    sys.exit(server.main())


def _pass_parameters() -> None:
    engine: Any = import_module(f"{_PACKAGE}.engine")
    sam: Any = import_module("samtranslator.translator.transform")
    apply_transforms, transform = engine._apply_transforms, sam.transform

    def apply_with_values(template: Any, provided: Any = None, previous: Any = None) -> Any:
        token = _VALUES.set(engine._transform_parameters(template, provided, previous))
        try:
            return apply_transforms(template, provided, previous)
        finally:
            _VALUES.reset(token)

    def transform_with_values(template: Any, values: dict[str, Any], *further: Any) -> Any:
        return transform(template, {**(_VALUES.get() or {}), **values}, *further)

    sam.transform = transform_with_values
    for name in ("engine", "handlers", "changesets"):
        module: Any = import_module(f"{_PACKAGE}.{name}")
        module._apply_transforms = apply_with_values


if __name__ == "__main__":
    main()
