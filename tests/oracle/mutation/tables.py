"""The tables of Kubernetes' unit tests of mutating policies, as data, and their fixture.

python -m oracle.mutation.tables     (in tests/, with the repository's environment)

A copy of the tests of k8s.io/apiserver runs in a folder of its own, with a line in their loops that
writes the row. The files come from the module cache, and nothing of them is stored here.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oracle import program

HERE = Path(__file__).parent
FIXTURE = HERE.parents[1] / "kube/mutation/fixtures/tables.jsonl"
PACKAGE = "pkg/admission/plugin/policy/mutating"
_LOOP = "\t\tt.Run(tc.name, func(t *testing.T) {\n"
_PATCH = {
    key: f"tc.{field}"
    for key, field in {
        "name": "name",
        "expression": "expression",
        "object": "object",
        "old": "oldObject",
        "after": "expectedResult",
        "error": "expectedErr",
    }.items()
}
_COMPILATION = {
    **_PATCH,
    "expression": '""',
    "policies": "[]any{tc.policy}",
    "params": "[]any{tc.params}",
    "namespace": "tc.namespace",
}
_DISPATCHER = {
    **_PATCH,
    "expression": '""',
    "hooks": "tc.policyHooks",
    "params": "tc.params",
    "after": "tc.expect",
    "error": '""',
}
# For each package, its test files and the fields of their rows.
_TABLES = {
    "patch": {"json_patch_test.go": _PATCH, "smd_test.go": _PATCH},
    "": {"compilation_test.go": _COMPILATION, "dispatcher_test.go": _DISPATCHER},
}
_WRITER = """
import (
	"encoding/json"
	"os"
)

func writeRow(row map[string]any) {
	out, err := os.OpenFile(os.Getenv("ROWS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if err := json.NewEncoder(out).Encode(row); err != nil {
		panic(err)
	}
}
"""


def read_tables() -> Iterator[program.Row]:
    """The rows of the tests: policies or an expression, the object, and the expected result."""
    module = subprocess.run(
        ["go", "list", "-m", "-json", "k8s.io/apiserver"],
        cwd=HERE,
        stdout=subprocess.PIPE,
        check=True,
    )
    folder = Path(json.loads(module.stdout)["Dir"]) / PACKAGE
    for package, tables in _TABLES.items():
        with tempfile.TemporaryDirectory() as scratch:
            yield from _run_tests(folder / package, Path(scratch), tables)


def _run_tests(
    folder: Path, copied: Path, tables: dict[str, dict[str, str]]
) -> Iterator[program.Row]:
    sources = [path for path in folder.glob("*.go") if not path.name.endswith("_test.go")]
    for path in (*sources, HERE / "go.mod", HERE / "go.sum", *(folder / name for name in tables)):
        text = path.read_text(encoding="utf-8")
        if path.name in tables:
            assert text.count(_LOOP) == 1, path
            fields = tables[path.name].items()
            row = ", ".join(f'"{key}": {value}' for key, value in fields)
            text = text.replace(_LOOP, f"\t\twriteRow(map[string]any{{{row}}})\n{_LOOP}")
        (copied / path.name).write_text(text, encoding="utf-8")
    (copied / "writer_test.go").write_text(f"package {folder.name}\n{_WRITER}", encoding="utf-8")
    rows = copied / "rows"
    pattern = "^Test(JSONPatch|ApplyConfiguration|Compilation|Dispatcher)$"
    command = ["go", "test", "-mod=mod", "-vet=off", "-run", pattern, "."]
    subprocess.run(command, cwd=copied, env=os.environ | {"ROWS": str(rows)}, check=True)
    for row in program.load_rows(rows):
        hooks = row.pop("hooks", None)
        if hooks is not None:
            row["policies"] = [hook["Policy"] for hook in hooks]
            row["bindings"] = [binding for hook in hooks for binding in hook["Bindings"]]
        yield row


if __name__ == "__main__":
    program.write(FIXTURE, [*read_tables()])
