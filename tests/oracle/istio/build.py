"""Build Istio's injector of a release as a program that answers lines of JSON.

The sources of the release are extracted from a clone and compiled unchanged: oracle.go and a file
made from environment.go.tmpl are added to package inject, and main.go becomes a command. If the
module proxy refuses a pinned version, a clone of that module can replace it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
OLDEST = 13  # the first minor with ProxyConfig resources, which the driver uses
_LIST_WITHOUT_ERROR = 18
_VERSION = r"(v\S*?(?:[-.][0-9]{14}-([0-9a-f]{12}))?)"
_PIN = re.compile(rf"^\s*(?:require |replace )?(\S+)(?: => \S+)? {_VERSION}(?: |$)", re.MULTILINE)


class BuildError(Exception):
    """The injector cannot be built."""


def build(istio: Path, release: str, clones: Sequence[Path], folder: Path) -> Path:
    """Return the program of a release; *folder* caches its sources and the program."""
    minor = minor_of(release)
    program = folder / f"oracle-{release}"
    source = folder / f"istio-{release}"
    if not (source / "go.mod").exists():
        # Some mirrors lack the binary in this folder, and the injector does not need it.
        _extract(istio, release, ":(exclude)pkg/test/fakes", source)
    changed = _add_driver(source, minor)
    if changed or not program.exists():
        modfile = _replace_pins(source, clones, folder / f"modules-{release}")
        # golang.org/x/net of 1.13 and 1.14 refers to functions of syscall by name.
        flags = (f"-modfile={modfile}", "-ldflags=-checklinkname=0")
        command = ("go", "build", *flags, "-o", program, "./podgraft-oracle")
        _run(command, source, f"Istio {release} does not build")
    return program


def minor_of(release: str) -> int:
    """The minor of a release tag."""
    match = re.match(r"1\.([0-9]+)\.[0-9]+", release)
    if match is None or int(match[1]) < OLDEST:
        raise BuildError(f'got RELEASE "{release}"; use a tag from 1.{OLDEST}.0 on, such as 1.30.3')
    return int(match[1])


def _add_driver(source: Path, minor: int) -> bool:
    """Write the added files; return whether one of them has changed."""
    files = {
        "pkg/kube/inject/podgraft_oracle.go": make_driver(source),
        "pkg/kube/inject/podgraft_environment.go": make_environment(source, minor),
        "podgraft-oracle/main.go": (HERE / "main.go").read_text(encoding="utf-8"),
    }
    changed = False
    for name, text in files.items():
        path = source / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed = True
    return changed


def make_driver(source: Path) -> str:
    """The driver; up to 1.13, istiod accepts all values, so the update returns no error."""
    text = (HERE / "oracle.go").read_text(encoding="utf-8")
    webhook = (source / "pkg/kube/inject/webhook.go").read_text(encoding="utf-8")
    if re.search(r"^func \(wh \*Webhook\) updateConfig\(.*\) error \{", webhook, re.MULTILINE):
        return text
    update = "webhook.updateConfig(&config, settings.Values)"
    return text.replace(f"\treturn webhook, {update}\n", f"\t{update}\n\treturn webhook, nil\n")


def make_environment(source: Path, minor: int) -> str:
    """The surroundings of the webhook, with the interfaces of the release."""
    text = (HERE / "environment.go.tmpl").read_text(encoding="utf-8")
    context = (source / "pilot/pkg/model/context.go").read_text(encoding="utf-8")
    webhook = (source / "pkg/kube/inject/webhook.go").read_text(encoding="utf-8")
    if "multicluster.KclientComponent[*corev1.Namespace]" not in webhook:
        text = re.sub(r"\t// clusters:\n.*?\t// end\n", "", text, flags=re.DOTALL)
    gogo = source / "pkg/util/gogoprotomarshal/protomarshal.go"
    if gogo.exists() and "func ApplyYAML(" in gogo.read_text(encoding="utf-8"):  # until 1.13
        package = "istio.io/istio/pkg/util/"
        text = text.replace(f'"{package}protomarshal"', f'protomarshal "{package}gogoprotomarshal"')
    plain = minor >= _LIST_WITHOUT_ERROR
    proxy_configs = "model.GetProxyConfigs(store, webhook.meshConfig)"
    set_push = "webhook.env.PushContext = push"
    if "func (e *Environment) SetPushContext" in context:
        set_push = "webhook.env.SetPushContext(push)"
    replacements = {
        "LISTED": "s.resources" if plain else "s.resources, nil",
        "LIST": "[]config.Config" if plain else "([]config.Config, error)",
        "proxyConfigs, err := PROXY_CONFIGS": f"proxyConfigs, err := {proxy_configs}"
        if not plain
        else f"proxyConfigs, err := {proxy_configs}, error(nil)",
        "SET_PUSH": set_push,
    }
    for mark, code in replacements.items():
        text = text.replace(mark, code)
    return text


def _replace_pins(source: Path, clones: Sequence[Path], folder: Path) -> Path:
    """Write a go.mod in which the commits that a clone has come from this clone."""
    folder.mkdir(parents=True, exist_ok=True)
    modfile = folder / "go.mod"
    shutil.copyfile(source / "go.mod", modfile)
    shutil.copyfile(source / "go.sum", folder / "go.sum")
    for module, commit in find_pins(modfile.read_text(encoding="utf-8")):
        for clone in clones:
            path = _find_module(clone, commit, module)
            if path is not None:
                target = folder / module.replace("/", "_")
                if not target.exists():
                    _extract(clone, commit, path, target)
                edit = ("go", "mod", "edit", f"-replace={module}={target / path}", modfile)
                _run(edit, source, f"{module} cannot be replaced")
                break
    return modfile


def find_pins(text: str) -> Iterator[tuple[str, str]]:
    """The modules that a go.mod pins, with the commit, or the tag of a version without one."""
    for match in _PIN.finditer(text):
        yield match[1], match[3] or match[2]


def _find_module(clone: Path, commit: str, module: str) -> str | None:
    """The folder of the module in the commit, or ``None`` if the clone does not have it."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", commit)
    for name in listed.splitlines() if listed else ():
        if name == "go.mod" or name.endswith("/go.mod"):
            text = _git(clone, "show", f"{commit}:{name}") or ""
            if re.search(rf"^module {re.escape(module)}\s*$", text, re.MULTILINE):
                return name.removesuffix("go.mod").rstrip("/")
    return None


def _git(clone: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(clone), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _extract(clone: Path, commit: str, path: str, target: Path) -> None:
    """Write the files of a commit to a folder, which is complete or absent."""
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    archive = partial.with_suffix(".tar")
    command = ("git", "-C", clone, "archive", "-o", archive, commit, *((path,) if path else ()))
    _run(command, partial, f"{clone} has no commit {commit}; run git fetch --tags in the clone")
    _run(("tar", "-x", "-f", archive, "-C", partial), partial, f"{archive} cannot be extracted")
    archive.unlink()
    partial.rename(target)


def _run(command: Sequence[str | Path], folder: Path, problem: str) -> None:
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"{problem}: {done.stderr.strip()}")
