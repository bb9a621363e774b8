"""Bytecode with only what the page needs. The build runs this in the page's own Python.

Plain bytecode is three times as large as its source: for each instruction, it has the line and the
columns. Here, an error has the first line of each function; the page shows only the message.
"""

import ast
import importlib.util
import marshal
from types import CodeType

# PEP 552: Python does not compare the module with its source.
_UNCHECKED = (1).to_bytes(4, "little")
_UNITS = 8  # of code, in the longest entry of a table of lines
_SAME_LINE = 0b1110_1000  # an entry: a line without columns; the next byte is the difference, 0


def compile_module(source: bytes, name: str) -> bytes:
    """The content of the ``.pyc`` file of a module."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "dataclass" in "".join(
            map(ast.dump, node.decorator_list)
        ):
            # Without a docstring, dataclass() reads the signature of the class, which takes long.
            text = ast.Assign([ast.Name("__doc__", ast.Store())], ast.Constant("-"))
            node.body.insert(0, ast.copy_location(text, node.body[0]))
    code = compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True, optimize=2)
    header = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(source)
    return header + marshal.dumps(_remove_lines(code))


def _remove_lines(code: CodeType) -> CodeType:
    whole, rest = divmod(len(code.co_code) // 2, _UNITS)
    table = bytes([_SAME_LINE | (_UNITS - 1), 0]) * whole
    if rest:
        table += bytes([_SAME_LINE | (rest - 1), 0])
    constants = (
        _remove_lines(each) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_linetable=table, co_consts=tuple(constants))
