"""The checked form of each CEL expression of the examples, from cel-expr-python."""

from base64 import b64encode
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from podgraft.core import bundle, policy

from . import examples
from .protobuf_order import sort_any

Table = dict[str, dict[str, list[str]]]


def make_table(root: Path) -> Table:
    """By the SHA-256 of an environment, each expression with its proto and its type.

    The expressions are those that the engine compiles for the examples, in the engine's own
    environments.
    """
    table: Table = {}
    with _recording(table):
        for example in examples.read_examples(root).values():
            document = policy.parse(example["policy"])
            files = {name: text.encode() for name, text in example["files"].items()}
            bundle.compile_(files, document)
    return table


class _recording:  # noqa: N801 - a context manager
    """Record the results of the engine with the native library."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __enter__(self) -> None:
        cel: Any = import_module("cel_expr_python.cel")
        program: Any = import_module("podgraft.kube.cel.program")
        program._checker.cache_clear()  # noqa: SLF001 - environments must be made again
        self._cel, self._program = cel, program
        self._originals = cel.NewEnv, cel.NewEnvConfigFromYaml
        keys: dict[int, str] = {}
        self._recorded: list[Any] = []

        def new_config(text: str) -> Any:
            config = self._originals[1](text)
            self._recorded.append(config)
            keys[id(config)] = sha256(text.encode()).hexdigest()
            return config

        def new_environment(*, config: Any) -> Any:
            expressions = self._table.setdefault(keys[id(config)], {})
            return _RecordingEnvironment(self._originals[0](config=config), expressions)

        cel.NewEnvConfigFromYaml, cel.NewEnv = new_config, new_environment

    def __exit__(self, *_: object) -> None:
        self._cel.NewEnv, self._cel.NewEnvConfigFromYaml = self._originals
        self._program._checker.cache_clear()  # noqa: SLF001 - recording environments end here


class _RecordingEnvironment:
    """An environment that records each expression."""

    def __init__(self, environment: Any, expressions: dict[str, list[str]]) -> None:
        self._environment = environment
        self._expressions = expressions

    def compile(self, text: str) -> Any:
        """The checked expression."""
        expression = self._environment.compile(text)
        serialized = b64encode(sort_any(expression.serialize())).decode()
        self._expressions[text] = [serialized, expression.return_type().name()]
        return expression
