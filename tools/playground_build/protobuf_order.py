"""The maps of a serialized ``CheckedExpr`` (cel.dev/expr) in a fixed order.

The C++ library writes the entries of maps in another order in each process, so two builds would
differ. The order of the entries has no meaning.
"""

from collections.abc import Iterator

# Fields of CheckedExpr and of SourceInfo: reference_map, type_map; positions, macro_calls.
_MAPS = frozenset({2, 3})
_SOURCE_INFO = 5
_VALUE = 2  # of Any
_SOURCE_MAPS = frozenset({4, 5})
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_SIZES = {_FIXED_64: 8, _FIXED_32: 4}


def sort_any(message: bytes) -> bytes:
    """A ``google.protobuf.Any`` with a ``CheckedExpr``, with sorted maps."""
    return b"".join(
        head + (sort_checked_expression(content) if number == _VALUE else content)
        for number, head, content in _split_fields(message)
    )


def sort_checked_expression(message: bytes) -> bytes:
    """The same message with sorted maps."""
    fields: list[tuple[int, bytes]] = []
    for number, head, content in _split_fields(message):
        if number == _SOURCE_INFO:
            nested = [(key, start + rest) for key, start, rest in _split_fields(content)]
            # The length of the message is the same.
            fields.append((number, head + _join(nested, _SOURCE_MAPS)))
        else:
            fields.append((number, head + content))
    return _join(fields, _MAPS)


def _join(fields: list[tuple[int, bytes]], maps: frozenset[int]) -> bytes:
    """The fields in the order of their numbers, and entries of maps in the order of their bytes."""
    ordered = sorted(fields, key=lambda each: (each[0], each[1] if each[0] in maps else b""))
    return b"".join(field for _, field in ordered)


def _split_fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, head, and content of each field; the head is its tag and its length."""
    position = 0
    while position < len(message):
        start = position
        tag, position = _read_varint(message, position)
        kind = tag & 7
        if kind == _VARINT:
            _, end = _read_varint(message, position)
        elif kind == _BYTES:
            length, position = _read_varint(message, position)
            end = position + length
        else:
            end = position + _SIZES[kind]
        yield tag >> 3, message[start:position], message[position:end]
        position = end


def _read_varint(message: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and the position after it."""
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position
