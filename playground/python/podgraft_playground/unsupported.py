"""The error for what this page does not evaluate."""


class UnsupportedError(BaseException):
    """The page has no implementation for an expression, so it prints no result.

    It derives from ``BaseException`` because the engine catches ``Exception`` in places, and would
    continue with another result than the function.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind} is not evaluated in the browser: {text}")
        self.kind = kind
        self.text = text
