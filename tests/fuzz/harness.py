"""The harnesses by name, and the error of a broken claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


class BrokenClaimError(AssertionError):
    """An input for which a claim does not hold; the message contains the decoded input."""


@dataclass(frozen=True, slots=True)
class Harness:
    """One claim, and the module with the function that tests it on bytes."""

    name: str
    claim: str

    @property
    def run(self) -> Callable[[bytes], str]:
        """Tests the claim on an input: returns the outcome, or raises an exception.

        A broken claim is a ``BrokenClaimError``. Any other exception is a defect as well.
        """
        return import_module(f"fuzz.claims.{self.name}").fuzz

    @property
    def corpus(self) -> Path:
        """The folder of the stored inputs: each of them broke the claim, or covers a branch."""
        return CORPUS / self.name

    def read_corpus(self) -> dict[str, bytes]:
        """The stored inputs by the names of their files."""
        return {path.name: path.read_bytes() for path in sorted(self.corpus.glob("*.bin"))}


_CLAIMS: Mapping[str, str] = {
    "no_bypass": "an injection, a skip, or a denial is what the documented decision table gives",
    "no_structure": "no value of a pod adds a map, a list entry, or a key to a rendered template",
    "no_crash": "no input raises an exception, and no input of a caller is answered with 5xx",
    "no_leak": "no log line, metric, warning, or fault contains a secret of the request",
    "patches_apply": "a patch that another library applies gives the object that podgraft means",
    "template_engine": "a template gives the text or the error that Go's text/template gives",
    "cel": "an expression gives the value or the error that kube-apiserver gives",
    "selectors": "a label selector selects what the selector of apimachinery selects",
    "yaml_reader": "a text is read as sigs.k8s.io/yaml reads it, incrementally too",
    "url_path": "only the credentials decide which cluster calls, whatever the URL is",
}
HARNESSES: Mapping[str, Harness] = {name: Harness(name, claim) for name, claim in _CLAIMS.items()}


def find_harness(name: str) -> Harness:
    """The harness of a name; raises ``SystemExit`` for an unknown one."""
    if name not in HARNESSES:
        raise SystemExit(f"harness: got {name}; use one of {', '.join(HARNESSES)}")
    return HARNESSES[name]


def check_claim(holds: bool, *observed: object) -> None:
    """Raise ``BrokenClaimError`` with what was observed, unless the claim holds."""
    if not holds:
        raise BrokenClaimError("; ".join(map(_describe, observed)))


def _describe(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
