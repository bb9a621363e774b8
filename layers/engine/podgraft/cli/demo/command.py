"""``podgraft demo``: a CA, a server, and reviews of the pods of a sample, on this machine.

Every step is a command that an operator would run. The demo prints each command. Its files remain
in a folder, and the next steps that it prints use them.
"""

import base64
import http.client
import json
import shlex
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import jsonpatch

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import command_help, terminal
from podgraft.cli.assets import find_assets
from podgraft.cli.extras import check_modules
from podgraft.cli.failure import CommandError
from podgraft.cli.shared_options import NEW_FOLDER
from podgraft.core import policy
from podgraft.kube import yaml
from podgraft.kube.matching import constraints

from .next_steps import Outcome, find_next_steps, find_program
from .work_folder import CLUSTER, PARENT, DemoServer, create_folder

SAMPLES = find_assets() / "samples"
_LOOPBACK, _PORT = "127.0.0.1", 8443
# What the commands of the demo import, beside the packages that every command needs.
_MODULES = ("flask", "gunicorn", "re2")
_MAX_LINE_CHARACTERS = 160  # characters of one operation
_MAX_DIFF_LINES = 40  # of one object


@command_help.command("demo")
@click.argument("sample", default="istio")
@click.option(
    "--dir",
    "folder",
    type=NEW_FOLDER,
    help="Folder for the files of the demo; an earlier demo in it is replaced. "
    "Default: build/demo/SAMPLE.",
)
@click.option(
    "--host",
    default=_LOOPBACK,
    help="Address of this machine that the cluster reaches, for --keep.",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port; default: 8443 with --keep.")
@click.option("--keep", is_flag=True, help="Serve until Ctrl+C, for a cluster.")
def command(sample: str, *, folder: Path | None, host: str, port: int | None, keep: bool) -> None:
    """Inject the pods of SAMPLE, a folder below samples/, over HTTPS, and print each step."""
    source = SAMPLES / sample
    if not (source / "bundle").is_dir():
        raise click.BadParameter(f"got {sample!r}; use one of {', '.join(_sample_names())}")
    check_modules("podgraft demo", _MODULES)
    folder = folder or PARENT / sample
    create_folder(folder)
    if port is None:
        port = _PORT if keep else 0
    _prepare(source, folder, host)
    _print_heading("Serve admission reviews over HTTPS")
    with _serve(folder, host, port) as (server, found):
        outcomes = _review_all(source, folder, host, found)
        DemoServer(f"https://{host}:{found}", sample).write(folder)
        if keep:
            _print_registration(folder, sample)
            try:
                server.wait()
            except KeyboardInterrupt:
                click.echo()
            return
    _print_next_steps(sample, folder, outcomes)


def _sample_names() -> list[str]:
    return sorted(path.parent.name for path in SAMPLES.glob("*/bundle"))


def _prepare(sample: Path, folder: Path, host: str) -> None:
    _print_heading("Create a CA, and a certificate for the endpoint")
    _run_podgraft(folder, "certs", "ca", "--dir", "certificates")
    hosts = dict.fromkeys(("localhost", _LOOPBACK, host))
    _run_podgraft(folder, "certs", "server", "--dir", "certificates", *hosts)
    _print_heading(
        f"Create a store with the bundle of samples/{sample.name}, and a token for one cluster"
    )
    store = folder / "store" / sample.name
    shutil.copytree(sample / "bundle", store / "bundle")
    for name in ("policy.yaml", *(path.name for path in sample.glob("input.*.yaml"))):
        target = (store if name == "policy.yaml" else folder) / name.removeprefix("input.")
        shutil.copyfile(sample / name, target)
    issue = ("issue", "--cluster", CLUSTER, "--config", "store", "--output", "token")
    _run_podgraft(folder, "tokens", *issue)


def _review_all(sample: Path, folder: Path, host: str, port: int) -> list[Outcome]:
    token = (folder / "token").read_text()
    context = ssl.create_default_context(cafile=str(folder / "certificates" / "ca.pem"))
    connection = http.client.HTTPSConnection(host, port, context=context, timeout=10)

    def send(path: str, manifest: Object) -> Object:
        return _send_review(connection, token.strip(), path, manifest)

    outcomes = [
        Outcome(path.name.removeprefix("input."), str(document["kind"]), is_patched)
        for path in sorted(sample.glob("input.*.yaml"))
        for document in yaml.load_all(path.read_text())
        if isinstance(document, dict)
        for is_patched in [_review(send, sample.name, path.name, document)]
    ]
    connection.close()
    return outcomes


def _send_review(
    connection: http.client.HTTPSConnection, token: str, path: str, manifest: Object
) -> Object:
    """Return the response to a review of the creation of *manifest*, sent as by kube-apiserver."""
    request = constraints.make_create_request(manifest, "default").raw
    rest: Object = {"uid": str(uuid4()), "object": manifest, "oldObject": None, "dryRun": False}
    review: Object = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {**request, **rest},
    }
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "kube-apiserver-admission",
        "Authorization": f"Bearer {token}",
    }
    connection.request("POST", f"{path}?timeout=10s", json.dumps(review).encode(), headers)
    response = connection.getresponse()
    text = json.loads(response.read())
    if response.status != http.client.OK:
        raise CommandError(f"{path}: got status {response.status}: {text.get('message')}")
    return text["response"]


def _review(
    send: Callable[[str, Object], Object], injector: str, file: str, document: Object
) -> bool:
    """Send an object to the mutating, then the validating webhook; return whether it changed."""
    mutating = "inject" if document["kind"] == "Pod" else "mutate"
    is_patched = False
    for route in (mutating, "validate"):
        path = f"/{injector}/{route}"
        response = send(path, document)
        if route == "validate" and response["allowed"] and "warnings" not in response:
            break
        _print_heading(f"{file}: POST {path}")
        document = _print_response(response, document)
        is_patched = is_patched or "patch" in response
        if not response["allowed"]:
            break
    return is_patched


def _print_response(response: Any, document: Object) -> Object:
    """Print a response; return the object that the patch produces."""
    color = "green" if response["allowed"] else "red"
    audit = response.get("auditAnnotations", {})
    terminal.secho(f"allowed: {response['allowed']}", fg=color, bold=True)
    click.echo(
        f"decision: {audit.get('decision')}, because {_describe_reasons(audit.get('reason', ''))}"
    )
    if "status" in response:
        terminal.secho(f"message: {response['status'].get('message')}", fg=color)
    for warning in response.get("warnings", []):
        terminal.secho(f"warning: {warning}", fg="yellow")
    if "patch" not in response:
        return document
    operations = json.loads(base64.b64decode(response["patch"]))
    terminal.secho("\nJSON Patch", bold=True)
    for operation in operations:
        text = json.dumps(operation, ensure_ascii=False)
        click.echo(f"  {_shorten(text)}")
    patched: Object = jsonpatch.apply_patch(document, operations)
    terminal.secho(f"\nThe {document['kind']}, before and after", bold=True)
    lines = [*_diff(document, patched)]
    for line in lines[:_MAX_DIFF_LINES]:
        click.echo("  " + terminal.style_diff_line(line))
    if len(lines) > _MAX_DIFF_LINES:
        click.echo(f"  … and {len(lines) - _MAX_DIFF_LINES} more lines")
    return patched


def _shorten(line: str) -> str:
    if len(line) <= _MAX_LINE_CHARACTERS:
        return line
    return line[: _MAX_LINE_CHARACTERS - 1] + "…"


def _describe_reasons(words: str) -> str:
    """Return the reasons of an audit annotation as a sentence."""
    sentences = {str(reason): text for reason, text in policy.SENTENCES.items()}
    return ", and ".join(sentences.get(word, word) for word in words.split(","))


def _diff(before: JSON, after: JSON) -> Iterator[str]:
    old, new = (yaml.dump(value).splitlines() for value in (before, after))
    lines = unified_diff(old, new, n=2, lineterm="")
    return (line for line in lines if not line.startswith(("---", "+++")))


@contextmanager
def _serve(folder: Path, host: str, port: int) -> Generator[tuple[subprocess.Popen[str], int]]:
    """Serve the store until the block ends; port 0 selects a free port."""
    files = ("--cert", "certificates/server.pem", "--key", "certificates/server.key")
    arguments = ("serve", "--store", "store", *files, "--host", host, "--port", str(port))
    terminal.secho(f"$ podgraft {' '.join(arguments)}", bold=True)
    command = [sys.executable, "-m", "podgraft", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            click.echo(line.rstrip())
            if ":" not in line:
                raise CommandError(f"podgraft serve: did not start on {host}; see its message")
            yield server, int(line.rsplit(":", 1)[1].split("/")[0])
        finally:
            server.terminate()


def _run_podgraft(folder: Path, *arguments: str) -> None:
    text = f"podgraft {' '.join(arguments)}"
    terminal.secho(f"$ {text}", bold=True)
    command_line = [sys.executable, "-m", "podgraft", *arguments]
    done = subprocess.run(command_line, cwd=folder, check=False, capture_output=True, text=True)
    click.echo(done.stdout, nl=False)
    if done.returncode:
        raise CommandError(f"{text}: {done.stderr.strip().removeprefix('error: ')}")


def _print_heading(text: str) -> None:
    terminal.secho(f"\n▌ {text}", fg="blue", bold=True)


def _print_registration(folder: Path, sample: str) -> None:
    _print_heading("Next: in another terminal, register it for pods with a label")
    label = f"podgraft={sample}"
    words = ("register", "--config", str(folder), "--object-selector", label, "--test")
    apply = "kubectl apply --server-side -f -"
    terminal.secho(f"  $ {find_program()} {shlex.join(words)} | {apply}", bold=True)
    click.echo("\n  Ctrl+C stops the server. Delete the registration first.")


def _print_next_steps(name: str, folder: Path, outcomes: list[Outcome]) -> None:
    others = [sample for sample in _sample_names() if sample != name]
    _print_heading(f"Next: the files of this demo are in {folder}")
    for purpose, arguments in find_next_steps(name, folder, outcomes, others):
        click.echo(f"\n  {purpose}")
        terminal.secho(f"  $ {find_program()} {arguments}", bold=True)
    page = Path("docs", "start.md")
    start = page if (find_assets() / page).exists() else "https://podgraft.dev/start/"
    click.echo(f"\n  {start} continues from here: an injected pod on your cluster.")
