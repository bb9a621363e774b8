"""What cannot be exported."""


class ExportError(Exception):
    """Something that Kubernetes' own policies cannot do; the text is the reason."""
