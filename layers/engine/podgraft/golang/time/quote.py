"""The quoting of package time in its error messages."""


def quote(text: str) -> str:
    r"""Quote, with control characters and bytes outside ASCII in hexadecimal.

    >>> print(quote('5\u00b5"'))
    "5\xc2\xb5\""
    """
    data = text.encode("utf-8", "surrogateescape")
    return f'"{"".join(map(_escape_byte, data))}"'


def _escape_byte(byte: int) -> str:
    if not ord(" ") <= byte <= 0x7F:  # noqa: PLR2004 - the last of ASCII
        return f"\\x{byte:02x}"
    return f"\\{chr(byte)}" if byte in b'"\\' else chr(byte)
