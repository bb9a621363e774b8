"""The tables of Kubernetes' unit tests of patches, as data, and their fixture.

python -m oracle.mutation.tables     (in tests/, with the repository's environment)

A copy of the tests of k8s.io/apiserver runs in a folder of its own, with a line in their loops that
writes the row. The files come from the module cache, and nothing of them is stored here.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from oracle import program

HERE = Path(__file__).parent
FIXTURE = HERE.parents[1] / "kube/mutation/fixtures/tables.jsonl"
PACKAGE = "k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
_LOOP = "\t\tt.Run(tc.name, func(t *testing.T) {\n\t\t\taccessor :="
_FIELDS = "name", "expression", "object", "oldObject", "expectedResult", "expectedErr"
_WRITE = f"\t\twriteRow({', '.join(f'tc.{field}' for field in _FIELDS)})\n"
_WRITER = """package patch

import (
	"encoding/json"
	"os"
)

func writeRow(name, expression string, object, old, result any, problem string) {
	out, err := os.OpenFile(os.Getenv("ROWS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	row := map[string]any{"name": name, "expression": expression, "object": object, "old": old}
	row["after"], row["error"] = result, problem
	if err := json.NewEncoder(out).Encode(row); err != nil {
		panic(err)
	}
}
"""


def read_tables() -> list[program.Row]:
    """The rows of the tests: expression, object, and the expected object or error."""
    module = subprocess.run(
        ["go", "list", "-m", "-json", "k8s.io/apiserver"],
        cwd=HERE,
        stdout=subprocess.PIPE,
        check=True,
    )
    folder = Path(json.loads(module.stdout)["Dir"]) / PACKAGE.removeprefix("k8s.io/apiserver/")
    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(scratch)
        for path in (*folder.glob("*.go"), HERE / "go.mod", HERE / "go.sum"):
            text = path.read_text(encoding="utf-8")
            if path.name in {"json_patch_test.go", "smd_test.go"}:
                assert text.count(_LOOP) == 1, path
                text = text.replace(_LOOP, _WRITE + _LOOP)
            (copied / path.name).write_text(text, encoding="utf-8")
        (copied / "writer_test.go").write_text(_WRITER, encoding="utf-8")
        rows = copied / "rows"
        command = ["go", "test", "-mod=mod", "-vet=off", "-run", "Test(JSONPatch|ApplyConfig)", "."]
        subprocess.run(command, cwd=copied, env=os.environ | {"ROWS": str(rows)}, check=True)
        return program.load_rows(rows)


if __name__ == "__main__":
    program.write(FIXTURE, read_tables())
