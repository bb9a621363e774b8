#!/usr/bin/env python3
"""Build the web playground: a static page that runs podgraft in the browser.

    build_playground.py [--output DIR] [--pyodide FILE.tgz]

Needs npm (for the Pyodide package) and pip; both verify the pinned hashes. Two builds of one commit
are identical.
"""

import argparse
import sys
from pathlib import Path

from playground_build import archive, editor, examples, page, precompile, pyodide
from playground_build.failure import BuildError
from playground_build.zips import pack

ROOT = Path(__file__).parents[1]
FIRST = "istio"  # the example with a recorded result


def main() -> int:
    """Build into the output folder; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "playground")
    parser.add_argument("--pyodide", type=Path, help="Tarball of the npm package pyodide.")
    parser.add_argument("--cache", type=Path, default=ROOT / ".tools" / "playground")
    options = parser.parse_args()
    try:
        package = pyodide.read_package(options.cache, options.pyodide)
        site = archive.make_site(ROOT, options.cache)
        archive.check_imports(site, package["python_stdlib.zip"])
        licenses = archive.read_licenses(ROOT, options.cache)
        licenses += editor.read_licenses(ROOT, options.cache)
        library = pyodide.reduce_library(package["python_stdlib.zip"])
        found = examples.read_examples(ROOT)
        given = page.make_input(found[FIRST])
        compiled, first = precompile.run_first(package, library, site, given)
        files = {
            **pyodide.select_files(package),
            "editor.js": editor.bundle(ROOT, options.cache),
            "site.zip.gz": pack(
                precompile.replace_sources(precompile.read_zip(site), compiled, "site")
            ),
            "python_stdlib.zip.gz": pack(precompile.replace_sources(library, compiled, "library")),
        }
        files["examples.json"] = page.encode_examples(found, first, files)
        sizes = page.write(ROOT, files, licenses, first, options.output)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{options.output}: {sizes.total:,} bytes, {sizes.compressed:,} bytes compressed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
