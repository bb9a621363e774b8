"""The options of ``podgraft register`` as one value."""

from pathlib import Path
from typing import TypedDict

from podgraft.cli.config_source import ConfigFolder, ConfigSource


class RegisterOptions(TypedDict):
    """The options of the command line."""

    url: str | None
    source: ConfigSource | None
    service: str | None
    allow_loopback: bool
    ca_bundle: tuple[Path, ...]
    cert_manager: str | None
    server_cert: Path | None
    is_tested: bool
    injector: str | None
    cluster: str | None
    istio_cluster_id: str | None
    istio_network: str | None
    env: tuple[str, ...]
    token_file: Path | None
    client_cert: Path | None
    client_key: Path | None
    control_plane: Path | None
    static: Path | None
    force: bool
    revision: str | None
    webhook_name: str
    tag_of: str | None
    inject: bool
    mutate: tuple[str, ...]
    validate: tuple[str, ...]
    all_namespaces: bool
    exclude_namespace: tuple[str, ...]
    namespace_selector: str
    object_selector: str
    match_condition: tuple[str, ...]
    failure_policy: str
    timeout: int
    reinvocation_policy: str
    census: bool
    sidecar_check: str | None
    folder: ConfigFolder | None
    native: tuple[Path, ...]
