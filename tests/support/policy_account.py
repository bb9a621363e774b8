"""Helpers for tests of ``podgraft policy``: stored policies and bundles, and results."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

BUCKET = "bundles-of-changes"
NAME = "/podgraft-dev/shop/policy"
REMOTE = ("--injector", "shop", "--config", "stack:podgraft-dev")


@dataclass(frozen=True)
class Result:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str


Run = Callable[..., Result]


class Account:
    """The stored policy and bundles, outside of the command line."""

    def __init__(self, session: Any) -> None:
        self.ssm: Any = session.create_client("ssm")
        self.s3: Any = session.create_client("s3")

    def versions(self) -> list[dict[str, Any]]:
        try:
            return self.ssm.get_parameter_history(Name=NAME)["Parameters"]
        except self.ssm.exceptions.ParameterNotFound:
            return []

    def documents(self) -> list[str]:
        return [version["Value"] for version in self.versions()]

    def object_keys(self) -> list[str]:
        listing = self.s3.list_objects_v2(Bucket=BUCKET)
        return [entry["Key"] for entry in listing.get("Contents", [])]

    def put(self, document: str) -> None:
        self.ssm.put_parameter(Name=NAME, Value=document, Type="String", Overwrite=True)

    def clear(self) -> None:
        self.ssm.delete_parameters(Names=[NAME, "/podgraft-dev/denied"])
        for key in self.object_keys():
            self.s3.delete_object(Bucket=BUCKET, Key=key)


def set_tag(folder: Path, tag: str) -> None:
    """Let the injector's ConfigMap have another tag of the proxy."""
    path = folder / "bundle" / "injector.yaml"
    text = path.read_text()
    start = text.index('"tag": "') + len('"tag": "')
    path.write_text(text[:start] + tag + text[text.index('"', start) :])


def answer_prompts(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let an operator answer each question of click with *text*."""

    def answer(prompt: str) -> str:
        del prompt
        return text

    monkeypatch.setattr("click.termui.visible_prompt_func", answer)
