"""The table of checked expressions has the same bytes in each process."""

import json
import subprocess
import sys
from pathlib import Path

from playground_build.protobuf_order import sort_any, sort_checked_expression

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import json, sys
from pathlib import Path
from playground_build.cel_table import make_table

print(json.dumps(make_table(Path(sys.argv[1])), sort_keys=True))
"""


def encode(number: int, content: bytes) -> bytes:
    """A field with bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def test_entries_of_maps_are_sorted_and_other_fields_remain() -> None:
    source = [encode(4, b"\x08\x02"), encode(4, b"\x08\x01"), encode(5, b"b"), encode(5, b"a")]
    lines = [encode(3, b"z"), encode(3, b"a")]  # line_offsets: not a map
    message = [encode(2, b"b"), encode(2, b"a"), encode(3, b"d"), encode(3, b"c")]
    expression = encode(4, b"expression")
    shuffled = b"".join([*message, expression, encode(5, b"".join([*lines, *source]))])
    ordered = b"".join([*lines, source[1], source[0], source[3], source[2]])
    expected = b"".join(
        [message[1], message[0], message[3], message[2], expression, encode(5, ordered)]
    )
    assert sort_checked_expression(shuffled) == expected
    kind = encode(1, b"cel.expr.CheckedExpr")
    assert sort_any(kind + encode(2, shuffled)) == kind + encode(2, expected)


def test_numbers_of_each_kind_are_read() -> None:
    varint, fixed_64, fixed_32 = b"\x08\xff\x01", b"\x11" + bytes(8), b"\x35" + bytes(4)
    message = varint + fixed_64 + fixed_32
    assert sort_checked_expression(message) == message


def test_two_processes_write_the_same_table() -> None:
    tables: list[str] = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(ROOT)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(map(str, sys.path))},
            check=True,
            capture_output=True,
            text=True,
        )
        tables.append(done.stdout)
    assert tables[0] == tables[1]
    assert json.loads(tables[0])
