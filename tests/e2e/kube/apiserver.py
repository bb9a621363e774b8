"""kube-apiserver's admission chain as a program: scenarios in, what became of the object out."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podgraft.base.jsonvalue import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One pod that somebody creates in one cluster (admission/main.go)."""

    manifests: str
    pod: Object
    server: str
    namespace_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    admission_configuration: Path | None = None
    dry_run: bool = False

    def line(self) -> str:
        """The scenario as the program reads it."""
        return json.dumps(
            {
                "manifests": self.manifests,
                "object": self.pod,
                "server": self.server,
                "namespaceLabels": dict(self.namespace_labels),
                "admissionConfiguration": str(self.admission_configuration or ""),
                "dryRun": self.dry_run,
            }
        )


# What the program answers: object, kubectl, code, warnings, audit, calls.
Answer = dict[str, Any]


def run_scenario(program: Path, scenario: Scenario) -> Answer:
    """Create the pod; fails the test where the program refuses the manifests."""
    result = _run(program, scenario)
    assert result.returncode == 0, result.stderr
    answer: Answer = json.loads(result.stdout)
    return answer


def find_startup_error(program: Path, scenario: Scenario) -> str:
    """Return the error with which the API server does not start; empty if it starts."""
    result = _run(program, scenario)
    return result.stderr if result.returncode else ""


def _run(program: Path, scenario: Scenario) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program], input=scenario.line(), capture_output=True, text=True, check=False
    )
