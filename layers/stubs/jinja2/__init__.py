"""Stub of Jinja: Flask derives classes from these, but uses no template."""


class _Absent:
    def __init__(self, *_: object, **__: object) -> None:
        raise NotImplementedError("Jinja is left out of the layer (layers/stubs)")


class BaseLoader(_Absent):
    """Loads no template."""


class FileSystemLoader(BaseLoader):
    """Loads no template from files."""


class Environment(_Absent):
    """Holds no templates."""


class Template(_Absent):
    """Renders nothing."""


class TemplateNotFound(LookupError):
    """Is what every template is."""
