"""Go's strconv.Quote and its kin."""


def quote(text: str) -> str:
    """strconv.Quote."""
    raise NotImplementedError
