"""The statement has the fields of in-toto and SLSA, and names every material with its hash."""

import json

from packaging.utils import canonicalize_name

from supply_chain.packages import Package
from supply_chain.provenance import Build, render_provenance

COMMIT = "1" * 40
BUILD = Build(
    source="https://example.com/podgraft.git",
    commit=COMMIT,
    builder="https://example.com/ci",
    parameters={"tag": "v0.1.0"},
    tools={"python": "3.13.0"},
    locks={"packaging/requirements/dev.txt": "2" * 64},
)
WHEEL = Package(
    name=canonicalize_name("alpha"),
    version="1.0",
    license="MIT",
    url="https://files.example.com/alpha.whl",
    sha256="3" * 64,
)
INSTALLED = Package(name=canonicalize_name("beta"), version="1.0", license="MIT")


def test_the_statement_names_files_builder_and_materials() -> None:
    subjects = {"b.zip": "5" * 64, "a.zip": "4" * 64}
    text = render_provenance(BUILD, subjects, [WHEEL, WHEEL, INSTALLED])
    source = f"git+https://example.com/podgraft.git@{COMMIT}"
    assert json.loads(text) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "a.zip", "digest": {"sha256": "4" * 64}},
            {"name": "b.zip", "digest": {"sha256": "5" * 64}},
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://podgraft.dev/supply-chain#release/v1",
                "externalParameters": {
                    "source": "https://example.com/podgraft.git",
                    "tag": "v0.1.0",
                },
                "internalParameters": {"python": "3.13.0"},
                "resolvedDependencies": [
                    {"uri": source, "digest": {"gitCommit": COMMIT}},
                    {
                        "name": "packaging/requirements/dev.txt",
                        "uri": f"{source}#packaging/requirements/dev.txt",
                        "digest": {"sha256": "2" * 64},
                    },
                    {
                        "uri": "pkg:pypi/alpha@1.0",
                        "downloadLocation": "https://files.example.com/alpha.whl",
                        "digest": {"sha256": "3" * 64},
                    },
                ],
            },
            "runDetails": {"builder": {"id": "https://example.com/ci"}},
        },
    }
