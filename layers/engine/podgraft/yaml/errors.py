"""A text that is not YAML, or is YAML that no JSON can hold."""


class NotYAMLError(ValueError):
    """The text cannot be read; ``line`` and ``column`` count from 1."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(problem, line, column)
        self.problem = problem
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"line {self.line} column {self.column}: {self.problem}"

    def shift_lines(self, lines: int) -> "NotYAMLError":
        """The same fault in a text that has so many more lines in front."""
        return NotYAMLError(self.problem, self.line + lines, self.column)
