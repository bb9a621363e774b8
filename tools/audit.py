#!/usr/bin/env python3
"""Compare all locked packages with the advisories of a local file.

    audit.py [--ignore ID ...] ADVISORIES

ADVISORIES is a file, an archive, or a folder with records in the OSV format. The exit status is 0
if no advisory affects a locked version, 1 if one does, and 2 if there is nothing to compare with.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from supply_chain.advisories import AdvisoryDatabase, AdvisoryError, Vulnerability, read_advisories
from supply_chain.inventory import LockedPackage, list_packages
from supply_chain.pins import LockError

ROOT = Path(__file__).parents[1]
_MISSING = """\
audit: no advisories given; run make audit ADVISORIES=PATH with a file, an archive, or a folder of
OSV records, for example https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print each vulnerability; return the exit status."""
    parser = argparse.ArgumentParser("audit.py", description="Compare the locks with advisories.")
    parser.add_argument("advisories", nargs="?", default="", help="Path of OSV records.")
    parser.add_argument(
        "--ignore", nargs="*", default=[], metavar="ID", help="Advisories that do not apply."
    )
    options = parser.parse_args(argv)
    if not options.advisories:
        print(_MISSING, file=sys.stderr)
        return 2
    try:
        packages = list(list_packages(ROOT))
        database = read_advisories(Path(options.advisories))
        found = list(find_vulnerabilities(packages, database))
    except (AdvisoryError, LockError) as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"audit: {error.filename}: {error.strerror}; check the path", file=sys.stderr)
        return 2
    return report(found, set(options.ignore), f"{len(packages)} pins, {database.size} advisories")


def find_vulnerabilities(
    packages: Sequence[LockedPackage], database: AdvisoryDatabase
) -> Iterator[tuple[LockedPackage, Vulnerability]]:
    """Each package with each advisory that affects it; raises ``AdvisoryError``."""
    for package in packages:
        for vulnerability in database.find(package.ecosystem, package.name, package.version):
            yield package, vulnerability


def report(
    vulnerabilities: Sequence[tuple[LockedPackage, Vulnerability]], ignored: set[str], size: str
) -> int:
    """Print a line for each vulnerability, and a summary; return the exit status."""
    status = 0
    for package, vulnerability in vulnerabilities:
        names = {vulnerability.advisory.id, *vulnerability.advisory.aliases}
        line = describe(package, vulnerability)
        if names & ignored:
            print(f"ignored: {line}")
        else:
            print(line, file=sys.stderr)
            status = 1
    verdict = "vulnerable versions are locked" if status else "no vulnerable version is locked"
    print(f"audit: {size}: {verdict}", file=sys.stderr if status else sys.stdout)
    return status


def describe(package: LockedPackage, vulnerability: Vulnerability) -> str:
    """Location, package, version, advisory, and remedy."""
    advisory = vulnerability.advisory
    aliases = f" ({', '.join(advisory.aliases)})" if advisory.aliases else ""
    remedy = "no version fixes it; replace the package, or ignore the advisory"
    if vulnerability.fixed:
        remedy = f"fixed in {vulnerability.fixed}; run make lock UPGRADE={package.name}"
    summary = f": {advisory.summary}" if advisory.summary else ""
    return (
        f"{package.place}: {package.name} {package.version}: {advisory.id}{aliases}{summary}; "
        f"{remedy}"
    )


if __name__ == "__main__":
    sys.exit(main())
