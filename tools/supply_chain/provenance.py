"""The provenance of a release: an in-toto statement with the predicate SLSA Provenance 1.0.

https://slsa.dev/spec/v1.0/provenance describes the fields. The statement is not signed; whoever
publishes the release signs it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .packages import Package

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "https://podgraft.dev/supply-chain#release/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """How a release was built.

    *source* is the address of the repository. *locks* are the SHA-256 of the lock files by path.
    *tools* are the versions on which the bytes of the archives depend.
    """

    source: str
    commit: str
    builder: str
    parameters: Mapping[str, object]
    tools: Mapping[str, str]
    locks: Mapping[str, str]


def render_provenance(
    build: Build, subjects: Mapping[str, str], packages: Iterable[Package]
) -> str:
    """The statement as JSON text; *subjects* are the SHA-256 of the files by name."""
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in sorted(subjects.items())
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"source": build.source, **build.parameters},
                "internalParameters": dict(build.tools),
                "resolvedDependencies": list(_list_materials(build, packages)),
            },
            "runDetails": {"builder": {"id": build.builder}},
        },
    }
    return json.dumps(statement, indent=2) + "\n"


def _list_materials(build: Build, packages: Iterable[Package]) -> Iterable[dict[str, object]]:
    """The commit, the lock files, and each wheel once."""
    yield {"uri": f"git+{build.source}@{build.commit}", "digest": {"gitCommit": build.commit}}
    for path, digest in sorted(build.locks.items()):
        yield {
            "name": path,
            "uri": f"git+{build.source}@{build.commit}#{path}",
            "digest": {"sha256": digest},
        }
    wheels = {package.url: package for package in packages if package.url}
    for url, package in sorted(wheels.items()):
        yield {"uri": package.purl, "downloadLocation": url, "digest": {"sha256": package.sha256}}
