"""The folder of Kubernetes' OpenAPI documents, which the program reads."""

import json
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def provide_documents() -> None:
    """Name the folder to the program: that of the Kubernetes release in ``go.mod``."""
    command = ["go", "list", "-m", "-json", "k8s.io/kubernetes"]
    module = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, check=True)
    os.environ["OPENAPI"] = f"{json.loads(module.stdout)['Dir']}/api/openapi-spec/v3"
