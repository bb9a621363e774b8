"""The webhooks that kube-apiserver calls for a bundle: those of a registration, or its routes.

Source of the order: k8s.io/apiserver pkg/admission/configuration: configurations by name, the
webhooks of each in their order; all mutating webhooks before the validating ones.
"""

from pathlib import Path

from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import DEFAULT_ROUTES, Webhook, parse_webhooks
from podgraft.core.bundle import Bundle
from podgraft.service.paths import ROUTES


def select_routes(bundle: Bundle) -> tuple[Webhook, ...]:
    """The routes that a bundle serves, in kube-apiserver's order."""
    served = (bundle.pod_mutators, bundle.object_mutators, bundle.validators)
    return tuple(Webhook(route=route) for route, parts in zip(ROUTES, served, strict=True) if parts)


def find_webhooks(bundle: Bundle, path: Path | None, injector: str | None) -> tuple[Webhook, ...]:
    """The webhooks of a registration in a file, or the routes of the bundle without one."""
    if path is None:
        return select_routes(bundle)
    return read_webhooks([*documents.read_objects(path)], path, injector)


def read_webhooks(
    manifests: list[Object], path: Path | str, injector: str | None
) -> tuple[Webhook, ...]:
    """The webhooks that call podgraft, in kube-apiserver's order.

    *injector* selects those of one injector; without it all must call the same. Raises
    ``CommandError``, which names the file.
    """
    registered = parse_webhooks(each for each in manifests if each.get("kind") in DEFAULT_ROUTES)
    if not registered:
        kinds = " or ".join(DEFAULT_ROUTES)
        raise CommandError(
            f"{path}: expected a {kinds} with webhooks, got {_kinds(manifests)}; print one with "
            "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o yaml"
        )
    webhooks = [each for each in registered if each.route]
    if not webhooks:
        raise CommandError(
            f"{path}: no webhook calls podgraft: each URL path must contain "
            f"{', '.join(f'/{route}' for route in ROUTES)}; name the registration of podgraft"
        )
    names = sorted({webhook.injector for webhook in webhooks})
    if injector is None and len(names) > 1:
        raise CommandError(
            f"{path}: the webhooks call several injectors: {', '.join(names)}; "
            "name the bundle's with --injector"
        )
    selected = tuple(each for each in webhooks if injector in {None, each.injector})
    if not selected:
        raise CommandError(
            f"{path}: no webhook calls injector {injector}; use {' or '.join(names)}"
        )
    return selected


def _kinds(manifests: list[Object]) -> str:
    kinds = sorted({string_at(manifest, "kind") or "no kind" for manifest in manifests})
    return f"kind {', '.join(kinds)}" if kinds else "an empty file"
