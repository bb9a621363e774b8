"""Record how helm renders the chart for each case; the tests need no helm.

record.py HELM    (a program, such as that of go install helm.sh/helm/v3/cmd/helm@v3.22.0)
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
CHART = FOLDER.parents[1] / "deploy" / "charts" / "podgraft"


def main(helm: str) -> None:
    """Write the renderings."""
    (FOLDER / "recorded").mkdir(exist_ok=True)
    for case in sorted((FOLDER / "cases").glob("*.yaml")):
        command = [helm, "template", "podgraft", str(CHART), "--namespace=podgraft"]
        done = subprocess.run(
            [*command, "--kube-version=1.36.0", f"--values={case}"],
            check=True,
            capture_output=True,
            text=True,
        )
        (FOLDER / "recorded" / case.name).write_text(done.stdout)
        sys.stdout.write(f"{case.name}\n")


if __name__ == "__main__":
    main(sys.argv[1])
