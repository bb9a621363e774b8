"""Compare the responses of two checkouts to generated requests.

python tools/replays OLD NEW [--count 20000] [--seed 1] [--serve 2000] [--keep FOLDER]

OLD and NEW are checkouts of podgraft. The function of each gets the same events of all fronts,
with each kind of authentication, and ``podgraft serve`` of each the same bytes. The program prints
how many responses differ, grouped, with one example each. Its exit status is 1 if any differ.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from replays import serve
from replays.events import make_event
from replays.requests import SUBJECT, TOKEN, generate

_AUTHENTICATION = {"token": 0.7, "mtls": 0.2, "none": 0.1}
_INJECTORS = ("istio", "logging", "allow", "appmesh", "vault-agent")


def main() -> int:
    """Print the differences; return 1 if there are any."""
    arguments = _parse_arguments()
    folder = arguments.keep or Path(tempfile.mkdtemp())
    roots = (arguments.old.resolve(), arguments.new.resolve())
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    _write_store(roots[0], store)
    differences = 0
    for name, share in _AUTHENTICATION.items():
        count = int(arguments.count * share)
        differences += _compare_function(roots, folder, name, count, arguments.seed)
    if arguments.serve:
        differences += _compare_servers(roots, folder, arguments.serve, arguments.seed)
    return 1 if differences else 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", type=int, default=2_000)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def _write_store(root: Path, store: Path) -> None:
    """A store of samples, and a cluster that can call it."""
    for name in _INJECTORS:
        shutil.copytree(root / "samples" / name / "bundle", store / name / "bundle")
        shutil.copy(root / "samples" / name / "policy.yaml", store / name / "policy.yaml")
    shutil.copytree(store / "istio", store / "default")
    digest = sha256(TOKEN.encode()).hexdigest()
    (store / "auth").mkdir()
    text = f"tokens:\n- sha256: {digest}\nsubjects: ['{SUBJECT}']\n"
    (store / "auth" / "prod-eu.yaml").write_text(text)


def _compare_function(
    roots: tuple[Path, Path], folder: Path, auth: str, count: int, seed: int
) -> int:
    events = folder / f"events.{auth}.jsonl"
    random = Random(seed + 1)  # noqa: S311  the same events each time
    share = 0.95 if auth == "mtls" else 0.05
    requests = generate(roots[0], count, seed)
    made = [make_event(random, request, certificates=share) for request in requests]
    events.write_text("".join(json.dumps(event) + "\n" for event in made))
    responses = [_replay(root, folder, auth, f"{auth}.{n}.jsonl") for n, root in enumerate(roots)]
    return _report(
        f"function, {auth}", made, *(path.read_text().splitlines() for path in responses)
    )


def _environment(root: Path, folder: Path, auth: str) -> dict[str, str]:
    engine = str(root / "layers" / "engine")
    return {
        "PYTHONPATH": engine,
        "PODGRAFT_STORE": f"file:{folder / 'store'}",
        "PODGRAFT_AUTH": auth,
    }


def _replay(root: Path, folder: Path, auth: str, name: str) -> Path:
    responses = folder / name
    program = str(Path(__file__).with_name("replay.py"))
    command = [
        sys.executable,
        program,
        str(root),
        str(folder / f"events.{auth}.jsonl"),
        str(responses),
    ]
    subprocess.run(command, env={**os.environ, **_environment(root, folder, auth)}, check=True)
    return responses


def _compare_servers(roots: tuple[Path, Path], folder: Path, count: int, seed: int) -> int:
    tls = folder / "tls"
    if not tls.exists():
        _make_certificates(roots[0], folder, tls)
    random = Random(seed + 2)  # noqa: S311  the same requests each time
    sent = [serve.encode(random, request) for request in generate(roots[0], count, seed + 3)]
    responses: list[list[str]] = []
    for root in roots:
        environment = {"PYTHONPATH": _environment(root, folder, "token")["PYTHONPATH"]}
        with serve.running_server(root, folder / "store", tls, environment) as port:
            responses.append([json.dumps(serve.send(port, each)) for each in sent])
    return _report("serve", [each.decode(errors="replace") for each in sent], *responses)


def _make_certificates(root: Path, folder: Path, tls: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": _environment(root, folder, "none")["PYTHONPATH"]}
    podgraft = [sys.executable, "-m", "podgraft", "certs"]
    for command in (
        ["ca", "--dir", str(tls)],
        ["server", "localhost", "127.0.0.1", "--dir", str(tls)],
    ):
        subprocess.run(
            [*podgraft, *command], env=environment, check=True, stdout=subprocess.DEVNULL
        )


def _report(title: str, sent: list[Any], old: Iterable[str], new: Iterable[str]) -> int:
    groups: dict[str, list[tuple[Any, str, str]]] = defaultdict(list)
    for event, before, after in zip(sent, old, new, strict=True):
        if before != after:
            groups[_summarize(before, after)].append((event, before, after))
    print(f"{title}: {len(sent)} requests, {sum(map(len, groups.values()))} responses differ")
    for name, cases in sorted(groups.items(), key=lambda item: -len(item[1])):
        event, before, after = cases[0]
        print(f"  {len(cases)} × {name}")
        print(
            f"    request {json.dumps(event)[:700]}\n"
            f"    before  {before[:500]}\n    after   {after[:500]}"
        )
    return sum(map(len, groups.values()))


def _summarize(before: str, after: str) -> str:
    return f"{_describe(before)} -> {_describe(after)}"


def _describe(text: str) -> str:
    value: Any = json.loads(text)
    if isinstance(value, str):
        return value[9:12]
    response, log = value
    code: Any = response.get("statusCode", response)
    return f"{code} {[record.get('fault') for record in log]}"


if __name__ == "__main__":
    sys.exit(main())
