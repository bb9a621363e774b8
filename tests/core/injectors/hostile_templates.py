"""Overlays, Istio templates, and App Mesh templates around one expression, for one pod."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from textwrap import dedent

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors import appmesh, istio
from podgraft.core.injectors.overlay import overlay
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml

from .istio import bundles

EVERYTHING = """
matchConstraints:
  resourceRules:
  - {apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}
"""

# Applies a template to a pod and returns the partial pod that it renders to.
Render = Callable[[str, Object], Object]


def check_object(value: JSON) -> Object:
    assert isinstance(value, dict)
    return value


def make_pod(annotations: dict[str, str], name: str = "app") -> Object:
    """A plain pod."""
    metadata: Object = {
        "name": "p",
        "namespace": "shop",
        "labels": {"app": "web"},
        "annotations": dict[str, JSON](annotations),
    }
    container: Object = {"name": name, "image": "nginx", "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container]},
    }


@cache
def make_overlay(template: str) -> overlay.Overlay:
    """An overlay for everything."""
    notes = Diagnostics()
    spec = check_object(yaml.load(EVERYTHING))
    found = overlay.parse_overlay(Cursor({**spec, "template": template}, "/spec", notes), "x")
    assert found is not None, notes.errors
    return found


@cache
def make_injector(template: str, release: str) -> istio.Injector:
    """An Istio injector of a release; before 1.9 templates render to a part of the pod's spec."""
    if release == "1.8":
        return bundles.legacy_injector(dedent(template.removeprefix("spec:\n")), release=release)
    return bundles.template_injector(template, release=release)


def render_overlay(template: str, pod: Object) -> Object:
    """The pod as an overlay makes it."""
    return make_overlay(template).apply(pod, "shop", {})


def istio_renderer(release: str) -> Render:
    """The pod as an Istio template makes it."""

    def render(template: str, pod: Object) -> Object:
        return make_injector(template, release).inject(pod, ReviewContext(namespace="shop")).pod

    return render


@cache
def make_mesh(template: str) -> appmesh.AppMesh:
    """A mesh that injects into pods with the label ``app: web``."""
    settings: Object = {
        "region": "eu-west-1",
        "virtualNodeLabel": "node",
        "enableAutoInject": True,
        "injectionSelector": {"labelSelector": {"labelsToMatch": {"app": "web"}}},
    }
    mesh: Object = {"metadata": {"name": "m", "namespace": "n"}, "spec": {"awsAppMesh": settings}}
    config_map: Object = {
        "metadata": {"name": "sidecar-injector", "namespace": "n"},
        "data": {"patch.yaml": template},
    }
    return appmesh.compile_([mesh], [config_map])
