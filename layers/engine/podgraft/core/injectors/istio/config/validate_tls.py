"""Validation of a tracer's TLS settings (pkg/config/validation, ValidateTLS)."""

from collections.abc import Iterator

from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.istio.releases import Profile

_CONFIG_MAP = "configmap://"
_FILES = ("clientCertificate", "caCertificates", "privateKey", "caCrl")


def validate_tls_settings(profile: Profile, settings: Object) -> Iterator[str]:
    """Yield each problem of the settings, with istiod's error text."""
    for problem in _find_problems(profile, settings):
        yield f"invalid tracing TLS config: {problem}"


def _find_problems(profile: Profile, settings: Object) -> Iterator[str]:
    mode, name = settings.get("mode", "DISABLE"), settings.get("credentialName") or ""
    if profile.config_map_credentials and isinstance(name, str) and name.startswith(_CONFIG_MAP):
        yield _config_map_problem(name)
    if settings.get("insecureSkipVerify") is True:
        yield from _check_insecure_settings(mode == "SIMPLE", mode == "MUTUAL", settings)
    if mode in ("SIMPLE", "MUTUAL") and name:
        if any(settings.get(key) for key in _FILES):
            yield (
                "cannot specify client certificates or CA certificate or CA CRL "
                "If credentialName is set"
            )
        return
    if mode == "MUTUAL":
        if not settings.get("clientCertificate"):
            yield "client certificate required for mutual tls"
        if not settings.get("privateKey"):
            yield "private key required for mutual tls"


def _check_insecure_settings(is_simple: bool, is_mutual: bool, settings: Object) -> Iterator[str]:
    authorities = settings.get("caCertificates") or settings.get("subjectAltNames")
    if is_simple and (authorities or settings.get("credentialName")):
        yield (
            "cannot specify CaCertificates or CredentialName or SubjectAltNames "
            "when InsecureSkipVerify is set true"
        )
    if is_mutual and authorities:
        yield "cannot specify CaCertificates or SubjectAltNames when InsecureSkipVerify is set true"


def _config_map_problem(name: str) -> str:
    """Describe an invalid name; no ConfigMap is valid, because a proxy config has no namespace."""
    parts = name.removeprefix(_CONFIG_MAP).split("/")
    missing = ""
    if len(parts) == 1:
        missing = "namespace and name"
    elif not parts[0]:
        missing = "namespace"
    elif not parts[1]:
        missing = "name"
    if missing:
        problem = f'invalid resource name "{name}". Expected {missing}'
    else:
        problem = 'namespace must match the configuration namespace ""'
    return f"invalid configmap:// credentialName: {problem}"
