"""One tab of the page: its folder, and the bundle that it compiled last."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.failure import CommandError

from . import engine, limits, origins, result
from .limits import InputError
from .problems import find_problems
from .test_case import make_test_case
from .unsupported import UnsupportedError
from .workspace import POD, POLICY, Input, working_directory, write_files

_CACHED = 4  # compiled bundles; the matrix needs two


@dataclass(slots=True)
class Session:
    """Answers requests in a folder of its own."""

    folder: Path
    compiled: dict[tuple[object, ...], engine.Compiled] = field(
        default_factory=dict[tuple[object, ...], engine.Compiled]
    )

    def review(self, given: Input) -> Object:
        """What ``podgraft explain`` prints for the input, with patches and objects."""
        start = time.perf_counter()
        try:
            answer = result.explanation_to_json(self._explain(given))
        except InputError as error:
            answer = _refused(error)
        except UnsupportedError as error:
            answer = _not_evaluated(error)
        milliseconds = round(1000 * (time.perf_counter() - start), 1)
        problems = find_problems(given, str(answer["errors"]))
        arguments: list[JSON] = [*given.arguments]
        return {
            **answer,
            "milliseconds": milliseconds,
            "arguments": arguments,
            "problems": problems,
        }

    def origins(self, given: Input) -> Object:
        """The template lines that the values of the patched objects come from."""
        recorder = origins.Recorder()
        try:
            with recorder.recording():
                explanation = self._explain(given)
        except (InputError, UnsupportedError):
            return {"templates": [], "documents": []}
        after = [result.first_and_last(document)[1] for document in explanation.documents]
        found = [origins.find_origins(recorder.renderings, value) for value in after]
        return result.origins_to_json(recorder.renderings, found, given.files)

    def test_case(self, given: Input) -> Object:
        """The document of a test case for the input, or why there is none."""
        try:
            return {"document": make_test_case(given, self._explain(given))}
        except InputError as error:
            return {"problem": "; ".join(map(str, error.args))}
        except UnsupportedError as error:
            return {"problem": f"{error}; use podgraft explain on your machine"}

    def verdicts(
        self, given: Input, pods: Mapping[str, str], policies: Mapping[str, str]
    ) -> Object:
        """The verdict of each pod under each policy document, by the names of both."""
        verdicts: dict[str, JSON] = {}
        for policy, document in policies.items():
            for name, pod in pods.items():
                answer = self.review(replace(given, pod=pod, policy=document))
                verdicts[f"{policy} {name}"] = _verdict(answer)
        return {"verdicts": verdicts}

    def _explain(self, given: Input) -> engine.Explanation:
        limits.check_files(given.files)
        limits.check_texts(given.texts)
        limits.check_yaml(given.texts)
        write_files(self.folder, given.texts)
        with working_directory(self.folder):
            try:
                compiled = self._compile(given)
            except (CommandError, click.ClickException) as error:
                return engine.failed(error)
            try:
                return engine.explain(given, compiled)
            except (CommandError, click.ClickException) as error:
                return engine.failed(error, compiled.warnings)

    def _compile(self, given: Input) -> engine.Compiled:
        """The compiled bundle; the options that it depends on are part of the key."""
        key = (tuple(given.files.items()), given.policy, tuple(given.options.items()))
        compiled = self.compiled.pop(key, None)
        if compiled is None:
            compiled = engine.compile_input(given)
        self.compiled[key] = compiled
        while len(self.compiled) > _CACHED:
            del self.compiled[next(iter(self.compiled))]
        return compiled


def _verdict(answer: Object) -> JSON:
    match answer:
        case {"documents": [{"trace": {"conclusion": str(conclusion)} as trace}, *_]}:
            return {"verdict": trace.get("verdict"), "conclusion": conclusion}
        case _:
            return {"verdict": "failed", "conclusion": answer.get("errors") or "not evaluated"}


def _refused(error: InputError) -> Object:
    text = "".join(f"error: {message}\n" for message in error.args)
    return {"status": 1, "text": "", "errors": text, "documents": []}


def _not_evaluated(error: UnsupportedError) -> Object:
    return {
        "status": 1,
        "text": "",
        "errors": "",
        "documents": [],
        "notEvaluated": {"kind": error.kind, "text": error.text},
    }


__all__ = ["POD", "POLICY", "Session"]
