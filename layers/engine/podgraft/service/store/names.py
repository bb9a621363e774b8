"""The names of injectors, and of the documents of a store.

A name is the path below the prefix of Parameter Store, or below the folder of a folder store. The
readers of the function and the commands that write use the same names.
"""

from pathlib import Path

# The folder with a document for each cluster.
CALLERS = "auth"
# The deny list of all injectors.
DENIED = "denied"
# The last part of the name of a policy.
POLICY = "policy"
BRAKE = "brake"
_CENSUS_KEY = "census-key"


def policy_name(injector: str) -> str:
    """The policy of an injector."""
    return f"{injector}/{POLICY}"


def callers_name(cluster: str) -> str:
    """The callers of a cluster."""
    return f"{CALLERS}/{cluster}"


def brake_name(injector: str | None = None) -> str:
    """The document that stops the rollout of an injector, or all rollouts."""
    return BRAKE if injector is None else f"{injector}/{BRAKE}"


def census_key_name(injector: str) -> str:
    """The key of the census of an injector."""
    return f"{injector}/{_CENSUS_KEY}"


def file_of(folder: Path, name: str) -> Path:
    """The file of a document in a folder store."""
    if name.endswith(f"/{_CENSUS_KEY}"):
        return folder / name.replace(_CENSUS_KEY, "census.key")
    return folder / f"{name}.yaml"
