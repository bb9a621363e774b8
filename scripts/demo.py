#!/usr/bin/env python3
"""The whole way on this machine: our own CA, the real app over HTTPS, reviews of real pods.

    demo.py [SAMPLE]    one of samples/, istio by default

Every step is a command that an operator would give, and is shown.
"""

import base64
import http.client
import json
import shutil
import ssl
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import click
import jsonpatch

from podgraft import policy, yaml
from podgraft.jsonvalue import JSON, Object

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
CLUSTER = "demo"
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_MAX_LINE_CHARACTERS = 160  # characters of one operation
# What every route is for: plural and group of the kinds that samples send.
_RESOURCES = {
    "Pod": ("", "v1", "pods"),
    "Deployment": ("apps", "v1", "deployments"),
    "StatefulSet": ("apps", "v1", "statefulsets"),
    "DaemonSet": ("apps", "v1", "daemonsets"),
    "Job": ("batch", "v1", "jobs"),
    "CronJob": ("batch", "v1", "cronjobs"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one sample; exit status 2 for one that does not exist."""
    arguments = sys.argv[1:] if argv is None else argv
    name = arguments[0] if arguments else "istio"
    sample = SAMPLES / name
    if not (sample / "bundle").is_dir():
        known = ", ".join(sorted(path.parent.name for path in SAMPLES.glob("*/bundle")))
        click.echo(f"demo: there is no sample {name!r}; there are {known}", err=True)
        return 2
    with TemporaryDirectory(prefix="podgraft-demo-") as folder:
        _run(sample, Path(folder))
    _print_next_steps(name)
    return 0


def _run(sample: Path, folder: Path) -> None:
    _print_heading("A CA of our own, and a certificate for the endpoint")
    _command(folder, "scripts/certs.py", "ca", "--dir", "certificates")
    _command(
        folder, "scripts/certs.py", "server", "--dir", "certificates", "localhost", "127.0.0.1"
    )
    _print_heading(
        f"A store with what is injected (samples/{sample.name}), and a token for one cluster"
    )
    store = folder / "store" / sample.name
    shutil.copytree(sample / "bundle", store / "bundle")
    if (sample / "policy.yaml").exists():
        shutil.copy(sample / "policy.yaml", store / "policy.yaml")
    issue = ("issue", "--cluster", CLUSTER, "--store", "file:store", "--output", "token")
    _command(folder, "scripts/tokens.py", *issue)
    _print_heading("The real app over HTTPS")
    with _serve(folder) as port:
        apiserver = _ApiServer(
            port, folder / "certificates" / "ca.pem", (folder / "token").read_text()
        )
        for path in sorted(sample.glob("input.*.yaml")):
            for found in yaml.load_all(path.read_text()):
                if isinstance(found, dict):
                    _review(apiserver, sample.name, path.name, found)
        apiserver.close()


class _ApiServer:
    """Sends reviews as kube-apiserver does: HTTPS verified against the CA, ``?timeout=10s``."""

    def __init__(self, port: int, authority: Path, token: str) -> None:
        context = ssl.create_default_context(cafile=str(authority))
        self._connection = http.client.HTTPSConnection(
            "localhost", port, context=context, timeout=10
        )
        self._token = token.strip()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def send_review(self, path: str, found: Object) -> Object:
        """The response to a review of the creation of *found*."""
        body = json.dumps(_admission_review(found)).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "kube-apiserver-admission",
            "Authorization": f"Bearer {self._token}",
        }
        self._connection.request("POST", f"{path}?timeout=10s", body, headers)
        answer = self._connection.getresponse()
        text = json.loads(answer.read())
        if answer.status != http.client.OK:
            raise SystemExit(f"demo: {answer.status} {text.get('message')}")
        return text["response"]


def _admission_review(found: Object) -> Object:
    metadata: Any = found.get("metadata", {})
    group, version, resource = _RESOURCES[str(found["kind"])]
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": str(uuid4()),
            "kind": {"group": group, "version": version, "kind": found["kind"]},
            "resource": {"group": group, "version": version, "resource": resource},
            "operation": "CREATE",
            "namespace": metadata.get("namespace", "default"),
            "object": found,
            "oldObject": None,
            "dryRun": False,
        },
    }


def _review(apiserver: _ApiServer, injector: str, file: str, found: Object) -> None:
    """Send one object as kube-apiserver would: to the mutating webhook, then the validating one."""
    mutating = "inject" if found["kind"] == "Pod" else "mutate"
    for route in (mutating, "validate"):
        path = f"/{injector}/{route}"
        response = apiserver.send_review(path, found)
        if route == "validate" and response["allowed"] and "warnings" not in response:
            return
        _print_heading(f"{file}: POST {path}")
        found = _print_response(response, found)
        if not response["allowed"]:
            return


def _print_response(response: Any, found: Object) -> Object:
    """Print an answer; the object as it is after it."""
    colour = "green" if response["allowed"] else "red"
    audit = response.get("auditAnnotations", {})
    click.secho(f"allowed: {response['allowed']}", fg=colour, bold=True)
    click.echo(
        f"decision: {audit.get('decision')}, because {_describe_reasons(audit.get('reason', ''))}"
    )
    if "status" in response:
        click.secho(f"message: {response['status'].get('message')}", fg=colour)
    for warning in response.get("warnings", []):
        click.secho(f"warning: {warning}", fg="yellow")
    if "patch" not in response:
        return found
    operations = json.loads(base64.b64decode(response["patch"]))
    click.secho("\nJSON Patch", bold=True)
    for operation in operations:
        text = json.dumps(operation, ensure_ascii=False)
        click.echo(
            "  "
            + (
                text
                if len(text) <= _MAX_LINE_CHARACTERS
                else text[: _MAX_LINE_CHARACTERS - 1] + "…"
            )
        )
    patched: Object = jsonpatch.apply_patch(found, operations)
    click.secho(f"\nThe {found['kind']}, before and after", bold=True)
    for line in _diff(found, patched):
        click.secho("  " + line, fg=_COLOURS.get(line[:1]))
    return patched


def _describe_reasons(words: str) -> str:
    """The stable words of an audit annotation as people say them."""
    known = {str(reason): text for reason, text in policy.SENTENCES.items()}
    return ", and ".join(known.get(word, word) for word in words.split(","))


def _diff(before: JSON, after: JSON) -> Iterator[str]:
    old, new = (yaml.dump(value).splitlines() for value in (before, after))
    lines = unified_diff(old, new, n=2, lineterm="")
    return (line for line in lines if not line.startswith(("---", "+++")))


@contextmanager
def _serve(folder: Path) -> Generator[int]:
    """Serve the store on a free port until the block ends."""
    files = ("--cert", "certificates/server.pem", "--key", "certificates/server.key")
    arguments = ("serve", "--store", "store", *files, "--host", "127.0.0.1", "--port", "0")
    click.secho(f"$ podgraft {' '.join(arguments)}", bold=True)
    command = [sys.executable, "-m", "podgraft", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            click.echo(line.rstrip())
            yield int(line.rsplit(":", 1)[1].split("/")[0])
        finally:
            server.terminate()


def _command(folder: Path, script: str, *arguments: str) -> None:
    click.secho(f"$ {script} {' '.join(arguments)}", bold=True)
    command = [sys.executable, str(ROOT / script), *arguments]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)


def _print_heading(text: str) -> None:
    click.secho(f"\n▌ {text}", fg="blue", bold=True)


def _print_next_steps(name: str) -> None:
    others = ", ".join(
        sorted(path.parent.name for path in SAMPLES.glob("*/bundle") if path.parent.name != name)
    )
    _print_heading("Next")
    click.echo(f"  make demo SAMPLE=…         {others}")
    click.echo(f"  podgraft explain -f POD.yaml --bundle samples/{name}/bundle")
    click.echo(f"  podgraft inject -f FILE.yaml --bundle samples/{name}/bundle")
    click.echo("  make deploy                to AWS: docs/deploying.md")


if __name__ == "__main__":
    sys.exit(main())
