"""Istio's golden tests as cases: found in a folder, run, and compared as its README says.

``PODGRAFT_CORPUS`` names the folder; without it, the folder is ``.corpus`` in the repository, which
``make corpus`` fills. Nothing here knows a single case.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from podgraft import kube
from podgraft.base.jsonvalue import JSON, Object, dump, object_at, objects_at
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InjectionError
from podgraft.core.injectors.istio import kubeinject, releases
from podgraft.core.injectors.istio.config import mesh, protojson
from podgraft.core.injectors.istio.kubeinject import coerce_to_string
from podgraft.core.policy import decide
from podgraft.core.review_context import ReviewContext
from podgraft.kube import patch, yaml

from . import comparison

VARIABLE = "PODGRAFT_CORPUS"
CACHE = Path(__file__).parents[2] / ".corpus"
MODES = ("kube-inject", "webhook", "patch")


@dataclass(frozen=True, slots=True)
class Case:
    """One golden test in one mode."""

    folder: Path
    mode: str
    facts: Mapping[str, Any]

    @property
    def minor(self) -> str:
        """MAJOR.MINOR of the release; 1.32 is the master branch."""
        return f"1.{releases.parse_release(self.release).minor}"

    @property
    def release(self) -> str:
        """The exact Istio release that the folder was made from."""
        return exact_release(self.folder)

    @property
    def name(self) -> str:
        """The case's name in the corpus."""
        return self.facts["name"]

    def __str__(self) -> str:
        return f"{self.folder.name}-{self.mode}-{self.name}"


@cache
def exact_release(folder: Path) -> str:
    """The release in the folder's ``meta.json``, such as ``1.28.10``, ``1.31.0-rc.0``, or HEAD."""
    return _read_file(folder / "meta.json")["release"]


def find_root() -> Path | None:
    """The corpus, if there is one."""
    folder = Path(os.environ.get(VARIABLE) or CACHE)
    return folder if any(folder.glob("*/meta.json")) else None


def cases() -> Iterator[Case]:
    """Every case of every release, in each of its modes; whole patches are a mode of their own."""
    folder = find_root()
    for path in sorted(folder.glob("*/cases.json"), key=_sort_key) if folder else ():
        for facts in _read_file(path):
            for mode in facts["modes"]:
                yield Case(path.parent, mode, facts)
        patches = path.with_name("webhook-patch-cases.json")
        for facts in _read_file(patches)["cases"] if patches.exists() else ():
            yield Case(path.parent, "patch", {"name": Path(facts["pod"]).name, **facts})


def find_failure(case: Case) -> str | None:
    """What the case shows to be wrong; ``None`` where it passes."""
    wanted = case.facts.get("expected_error")
    try:
        problem = _RUNS[case.mode](case)
    except InjectionError as error:
        if wanted is None:
            return f"{type(error).__name__}: {error}"
        return None if wanted in str(error).lower() else f"{wanted!r} is not in {str(error)!r}"
    return problem if wanted is None else f"no error, but {wanted!r} was expected"


def injector(case: Case) -> istio.Injector:
    """An injector with the case's settings and surroundings."""
    facts = case.facts
    settings = case.folder / "settings" / facts["settings"]
    around = {"revision": facts["revision"].get(case.mode, ""), "env": facts.get("env", {})}
    return _compile_injector(
        settings,
        *(dump(part) for part in (_mesh_facts(facts), facts.get("namespaces", {}))),
        dump(around | _switches(facts.get("features", {}))),
    )


def _mesh_facts(facts: Mapping[str, Any]) -> Object:
    return {key: facts[key] for key in ("mesh_patch", "mesh_changes") if key in facts}


def _switches(features: Mapping[str, JSON]) -> dict[str, JSON]:
    names = {
        "nativeSidecars": "native_sidecars",
        "platform": "platform",
        "compliancePolicy": "compliance_policy",
        "legacyFSGroupInjection": "legacy_fsgroup_injection",
        "rewriteTCPProbes": "rewrite_tcp_probes",
    }
    return {names[key]: value for key, value in features.items()}


@cache
def _compile_injector(
    settings: Path, mesh_facts: str, namespaces: str, around: str
) -> istio.Injector:
    """Cases share injectors; the arguments are texts because they are cache keys."""
    release = exact_release(settings.parents[1])
    return istio.compile_(
        istio.Documents(
            config=(settings / "config.yaml").read_text(encoding="utf-8"),
            values=(settings / "values.json").read_text(encoding="utf-8"),
            mesh=_mesh(release, settings / "mesh.yaml", json.loads(mesh_facts)),
            namespaces={
                name: {"metadata": {"name": name, **facts}}
                for name, facts in json.loads(namespaces).items()
            },
        ),
        istio.IstiodEnvironment(release=release, **json.loads(around)),
    )


def _read_file(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _sort_key(path: Path) -> tuple[int, int]:
    profile = releases.parse_release(exact_release(path.parent))
    return profile.minor, profile.patch


def _mesh(release: str, path: Path, facts: Mapping[str, Any]) -> str:
    """The effective mesh configuration with the case's changes, as a text to be applied again.

    ``mesh_patch`` is a merge patch; ``mesh_changes`` sets a field, or appends to a list.
    """
    profile = releases.parse_release(release)
    schema = protojson.schema(profile)
    effective = mesh.apply_mesh_config(
        schema, mesh.defaults(profile), path.read_text(encoding="utf-8"), []
    )
    changed = patch.merge_patch(effective, facts.get("mesh_patch", {}))
    assert isinstance(changed, dict)
    for change in facts.get("mesh_changes", ()):
        _change(changed, change)
    if "sdsUdsPath" not in changed and "sdsUdsPath" in mesh.defaults(profile):
        changed["sdsUdsPath"] = ""  # or the default would come back
    return dump(changed)


def _change(message: Object, change: Mapping[str, Any]) -> None:
    *above, last = change["path"]
    for key in above:
        message[key] = dict(object_at(message, key))
        message = object_at(message, key)
    value = change["value"]
    message[last] = [*objects_at(message, last), value] if change["op"] == "append" else value


def _run_kube_inject(case: Case) -> str | None:
    text = (case.folder / case.facts["input"]).read_text(encoding="utf-8")
    result = kubeinject.inject(injector(case), text)
    log = case.facts.get("expected_log")
    if log is not None and not any(log in warning for warning in result.warnings):
        return f"{log!r} is in none of {result.warnings}"
    if case.facts["expected"] is None:
        return None
    expected = (case.folder / case.facts["expected"]).read_text(encoding="utf-8")
    if "test" in case.facts:  # Istio's tests blank the hash of the template on both sides
        texts = [
            re.sub('"version":"[0-9a-f]*"', '"version":""', t) for t in (result.text, expected)
        ]
        return comparison.compare_streams(*texts)
    return comparison.compare_streams(_remove_template_hash(result.text, expected), expected)


def _remove_template_hash(text: str, expected: str) -> str:
    """The text without the template's hash, where the golden has it emptied."""
    if '"version":""' not in expected:
        return text
    return _blank_hash(text)


def _blank_hash(text: str) -> str:
    return re.sub('"version":"[0-9a-f]*"', '"version":""', text)


def _webhook(case: Case) -> str | None:
    used = injector(case)
    documents = _read_file(case.folder / case.facts["webhook_docs"])
    for number, document in enumerate(documents):
        pod, expected = (_text_as_text(document[key]) for key in ("pod", "expected_pod"))
        got = _apply_and_admit(used, pod, document["namespace"])
        ignored = case.facts.get("ignore_template_fields", case.minor == "1.0")
        problem = comparison.compare_pods(got, expected, ignore_template_fields=ignored)
        if problem is None and case.facts.get("reinject_expected"):
            again = _apply_and_admit(used, expected, document["namespace"])
            problem = comparison.compare_pods(again, expected, reinjected=True)
        if problem is not None:
            return f"document {number}: {problem}"
    return None


def _text_as_text(pod: Object) -> Object:
    """The pod as Istio's test reads it from YAML, where a number can be given for a text."""
    coerced = coerce_to_string(kube.POD, pod)
    assert isinstance(coerced, dict)
    return coerced


def _apply_and_admit(used: istio.Injector, pod: Object, namespace: str) -> Object:
    """What the API server makes of the pod: the patch applied to it, if there is one."""
    if not decide(used.config.rules, pod, namespace).injects:
        return pod
    done = used.inject(pod, ReviewContext(namespace=namespace))
    patched = patch.apply(pod, done.mutation.patch)
    assert isinstance(patched, dict)
    return patched


def _patch(case: Case) -> str | None:
    """A whole patch; the release's test gave the template a version of its own."""
    pod = yaml.load((case.folder / case.facts["pod"]).read_text(encoding="utf-8"))
    assert isinstance(pod, dict)
    done = _patch_injector(case).inject(pod, ReviewContext()).mutation.patch
    expected = _read_file(case.folder / case.facts["expected_patch"])
    made = _set_version(json.loads(json.dumps(done)))
    if _applies(expected, pod):
        return comparison.compare_patches(made, expected)
    # Istio's own patch is broken: it rewrites probes by indices that its removals have changed.
    return comparison.compare_patches(_without_indices(made), _without_indices(expected))


def _applies(operations: list[Any], pod: Object) -> bool:
    base = pod if isinstance(pod.get("spec"), dict) else pod | {"spec": {}}
    try:
        patch.apply(base | {"metadata": pod.get("metadata") or {}}, operations)
    except patch.PatchError:
        return False
    return True


def _without_indices(operations: JSON) -> JSON:
    """The operations sorted, with no index in a path."""
    text = re.sub(r'("path": "/spec/containers)/[0-9]+', r"\1/N", json.dumps(operations))
    return sorted(json.loads(text), key=dump)


def _patch_injector(case: Case) -> istio.Injector:
    if "settings" in case.facts:
        settings = case.folder / "settings" / case.facts["settings"]
        return _compile_injector(settings, "{}", "{}", "{}")
    text = (case.folder / case.facts["config"]).read_text(encoding="utf-8")
    config = text if case.minor != "1.0" else dump({"policy": "enabled", "template": text})
    return istio.compile_(
        istio.Documents(config=config), istio.IstiodEnvironment(release=case.release)
    )


def _set_version(value: JSON) -> JSON:
    """The value with the version that the release's test gave its template."""
    match value:
        case str():
            return re.sub('"version":"[0-9a-f]{64}"', '"version":"unit-test-fake-version"', value)
        case list():
            return [*map(_set_version, value)]
        case dict():
            return {key: _set_version(each) for key, each in value.items()}
        case _:
            return value


_RUNS = {"kube-inject": _run_kube_inject, "webhook": _webhook, "patch": _patch}
