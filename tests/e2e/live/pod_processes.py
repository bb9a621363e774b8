"""The containers of a pod as processes: no kubelet is here, and no image.

A container gets what a kubelet would give it: its arguments, its volumes at their paths, the
service account with a token that kube-apiserver issued, and the variables of the API server. The
paths are those of the manifest, in a file system of its own: a private mount namespace. The
programs are those of this machine.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.live.control_plane import ControlPlane

SERVICE = "kubernetes.default.svc"  # a name of the certificate
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
# Every entry of / is bound into a new root, which also has the paths of the volumes.
_ENTER = """
set -e
mount -t tmpfs podgraft "$ROOT"
for each in /*; do
  case "$each" in
    /var) mkdir -p "$ROOT/var/run" ;;
    *) if [ -L "$each" ]; then cp -P "$each" "$ROOT"
       elif [ -d "$each" ]; then mkdir "$ROOT$each"; mount --rbind "$each" "$ROOT$each"; fi ;;
  esac
done
"""


@dataclass(frozen=True, slots=True)
class PodProcesses:
    """A pod of a manifest: *volumes* are folders by the name of the volume."""

    plane: ControlPlane
    namespace: str
    spec: Mapping[str, Any]
    folder: Path
    volumes: Mapping[str, Path]

    def run(self, container: Mapping[str, Any], program: Path) -> subprocess.CompletedProcess[str]:
        """Run a container whose entry point is *program*; as in its image, there is no other."""
        commands = self.folder / "bin"
        shutil.rmtree(commands, ignore_errors=True)
        commands.mkdir(parents=True)
        (commands / program.name).symlink_to(program)
        mounts = {each["mountPath"]: self.volumes[each["name"]] for each in _mounts(container)}
        root = self.folder / "root"
        root.mkdir(exist_ok=True)
        hosts = self.folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {SERVICE}\n")
        script = f'{_ENTER}mount --bind {shlex.quote(str(hosts))} "$ROOT/etc/hosts"\n' + "".join(
            f'mkdir -p "$ROOT{path}"; mount --bind {shlex.quote(str(source))} "$ROOT{path}"\n'
            for path, source in {**mounts, ACCOUNT: self._make_account()}.items()
        )
        words = [str(commands / program.name), *container["args"]]
        path = f"PATH={commands}"
        entered = f'{script}exec chroot "$ROOT" /usr/bin/env {shlex.join([path, *words])}\n'
        environment = {
            "ROOT": str(root),
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/",
            "KUBERNETES_SERVICE_HOST": SERVICE,
            "KUBERNETES_SERVICE_PORT": str(self.plane.port),
            **{each["name"]: each["value"] for each in container.get("env", ())},
        }
        return subprocess.run(
            [*find_unshare(), "sh", "-c", entered],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def request(self, method: str, path: str, body: Any = None) -> int:
        """Send a request with the token of the pod; the status."""
        token = (self.folder / "account" / "token").read_text()
        headers = {"Authorization": f"Bearer {token}"}
        return self.plane.request(method, path, body, headers)[0]

    def _make_account(self) -> Path:
        folder = self.folder / "account"
        folder.mkdir(exist_ok=True)
        base = f"/api/v1/namespaces/{self.namespace}/serviceaccounts"
        path = f"{base}/{self.spec['serviceAccountName']}/token"
        issued = self.plane.create(path, {"spec": {"expirationSeconds": 3600}})
        (folder / "token").write_text(issued["status"]["token"])
        (folder / "namespace").write_text(self.namespace)
        shutil.copy(self.plane.certificate, folder / "ca.crt")
        return folder


def _mounts(container: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return container.get("volumeMounts", ())


def find_unshare() -> list[str]:
    """The command that begins a private mount namespace, for root and for other users."""
    if os.geteuid() == 0:
        return ["unshare", "--mount"]
    own = ["unshare", "--map-root-user", "--mount"]
    is_allowed = subprocess.run([*own, "true"], capture_output=True, check=False).returncode == 0
    return own if is_allowed else ["sudo", "-n", "-E", "unshare", "--mount"]
