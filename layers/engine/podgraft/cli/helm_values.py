"""Values of the Helm chart that install as they are: an injector, a certificate, and a token.

The certificate is for the Service of the release ``podgraft`` in the namespace ``podgraft``, and a
new CA signed it, whose key is thrown away: the release trusts no other certificate of it.
"""

from pathlib import Path
from shlex import quote

from podgraft.base import system
from podgraft.base.jsonvalue import Object
from podgraft.cli import outputs
from podgraft.cli.assets import find_assets
from podgraft.cli.certs import issuance, keys, names, pem
from podgraft.cli.certs.issuance import Issuer, Validity
from podgraft.cli.certs.keys import KeyType
from podgraft.cli.outputs import SECRET, Output
from podgraft.kube import yaml

_NAME = NAMESPACE = "podgraft"
_DAYS = 300
_TOKEN_BYTES = 32
_HEADING = """\
# Values of the chart for a first installation:
#
#   helm install podgraft {folder}/podgraft --namespace podgraft --create-namespace \\
#     --values {folder}/values.yaml
#
# They contain a key and a token: keep them like a Secret. The certificate ends on {end}. With
# cert-manager, write tls: {{certManager: {{enabled: true}}}}, without webhook.caCertificates.
"""


def write_values(folder: Path, *, force: bool) -> None:
    """Write values.yaml with the injector of a sample; it is readable by its owner only."""
    lifetime = Validity.from_now(system.now(), _DAYS)
    heading = _HEADING.format(folder=quote(str(folder)), end=f"{lifetime.end:%Y-%m-%d}")
    text = heading + yaml.dump(make_values("hello", lifetime), sort_keys=False)
    outputs.write_files([Output(folder / "values.yaml", text.encode(), SECRET)], force=force)


def make_values(sample: str, lifetime: Validity) -> Object:
    """Return the values of the chart with the injector of a sample."""
    source = find_assets() / "samples" / sample
    bundle: Object = {path.name: path.read_text() for path in sorted((source / "bundle").iterdir())}
    policy = (source / "policy.yaml").read_text()
    authority = keys.make_key(KeyType.P_256)
    ca = issuance.make_ca(authority, None, Validity.from_now(system.now(), _DAYS + 1))
    key = keys.make_key(KeyType.P_256)
    host = f"{_NAME}.{NAMESPACE}.svc"
    certificate = issuance.make_server_certificate(
        names.parse_names([host, f"{host}.cluster.local"]),
        key.public_key(),
        Issuer(ca, authority),
        lifetime,
    )
    return {
        "image": {"repository": "podgraft"},
        "injectors": {sample: {"policy": policy, "bundle": bundle}},
        "tls": {
            "certificate": pem.dump_certificates([certificate]).decode(),
            "key": keys.encode_key(key, None).decode(),
        },
        "webhook": {
            "enabled": True,
            "token": system.random_bytes(_TOKEN_BYTES).hex(),
            "caCertificates": pem.dump_certificates([ca]).decode(),
        },
    }
