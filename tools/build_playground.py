#!/usr/bin/env python3
"""Build the web playground: a static page that runs podgraft in the browser.

    build_playground.py [--output DIR] [--pyodide FILE.tgz]

Needs npm (for the Pyodide package) and pip; both verify the pinned hashes. Two builds of one commit
are identical.
"""

import argparse
import sys
from pathlib import Path

from playground_build import archive, page, precompile, pyodide
from playground_build.failure import BuildError
from playground_build.zips import pack

ROOT = Path(__file__).parents[1]
# The first visit must transfer less than 6 MB. Bytecode of Python's library takes what is left.
MAX_BYTES = 5_930_000
PAGE_BYTES = 40_000  # the page's own scripts and styles


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
        library = pyodide.reduce_library(package["python_stdlib.zip"])
        compiled = precompile.compile_modules(package, library, site)
        files = {
            **pyodide.select_files(package),
            "site.zip.gz": pack(precompile.read_zip(site)),
        }
        budget = MAX_BYTES - PAGE_BYTES - sum(map(page.compressed_size, files, files.values()))
        library = precompile.replace_sources(library, compiled, budget)
        files["python_stdlib.zip.gz"] = pack(library)
        sizes = page.write(ROOT, files, licenses, options.output)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{options.output}: {sizes.total:,} bytes, {sizes.compressed:,} bytes compressed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
