"""The folder of Kubernetes' OpenAPI documents, which the program reads."""

import os
import re
from pathlib import Path

from oracle import program

_MODULES = Path(__file__).with_name("go.mod")


def provide_documents(release: str = "") -> None:
    """Name the folder of a release to the program; by default, that of ``go.mod``."""
    known = re.search(r"k8s\.io/kubernetes v(\S+)", _MODULES.read_text(encoding="utf-8"))
    assert known is not None
    os.environ["OPENAPI"] = f"{program.kubernetes_folder(release or known[1])}/api/openapi-spec/v3"
