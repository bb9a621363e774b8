"""Build the archives of the functions and of the layers, for tools that only upload them.

    make_archives.py FOLDER

Writes ``function.zip``, ``cleanup.zip``, ``guard.zip``, ``rotation.zip``, ``watch.zip``,
``dependencies.zip``, and ``engine.zip`` into FOLDER.
build_layer.py describes the layers and the variables that select the Lambda. SAM does not need
these archives: ``sam build`` creates its own.
"""

import io
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import build_layer

LAYERS = Path(__file__).resolve().parent
# The folder of each function by the name of its archive. Only the webhook and the rotation use
# layers. The probe is not among them: only CloudFormation deploys it.
FUNCTIONS = {
    "function": "functions/webhook",
    "cleanup": "functions/cleanup",
    "guard": "functions/guard",
    "rotation": "layers/engine",  # the package with its commands: one of them rotates
    "watch": "functions/watch",
}
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


def main(argv: list[str]) -> int:
    """Write the archives; return the exit status."""
    if len(argv) != 1 or argv[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    output = Path(argv[0])
    output.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="podgraft-layers-") as folder:
        for name, arguments in {
            "dependencies": str(LAYERS / "dependencies" / "requirements.txt"),
            "sources": str(LAYERS / "engine" / "podgraft"),
        }.items():
            layer = Path(folder) / name
            status = build_layer.main([name, str(layer), arguments])
            if status:
                return status
            archive = output / ("engine.zip" if name == "sources" else f"{name}.zip")
            archive.write_bytes(make_layer(layer))
    for name in FUNCTIONS:
        archive = output / f"{name}.zip"
        archive.write_bytes(make_zip(read_function(LAYERS.parent, name)))
    return 0


def read_function(root: Path, name: str) -> dict[str, bytes]:
    """The modules of a function, as its Makefile copies them."""
    folder = root / FUNCTIONS[name]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in (*folder.glob("*.py"), *folder.glob("podgraft/**/*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def make_layer(folder: Path) -> bytes:
    """The archive of a layer; Lambda unpacks it to ``/opt``."""
    return make_zip(
        {
            f"python/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
    )


def make_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with sorted names and fixed times."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method, compresslevel=9) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _TIME)
            member.compress_type = method
            member.external_attr = _MODE
            archive.writestr(member, files[name])
    return content.getvalue()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
