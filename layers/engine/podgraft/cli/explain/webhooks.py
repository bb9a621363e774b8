"""The webhooks that kube-apiserver calls for a bundle: those of a registration, or its routes.

Source of the order: k8s.io/apiserver pkg/admission/configuration: configurations by name, the
webhooks of each in their order; all mutating webhooks before the validating ones.
"""

from pathlib import Path

from msgspec import Struct

from podgraft.base.jsonvalue import Object, object_at, string_at
from podgraft.cli.client_config import read_destination
from podgraft.cli.failure import CommandError
from podgraft.cli.live.registrations import LiveWebhook, parse_webhooks
from podgraft.core.bundle import Bundle
from podgraft.service.paths import ROUTES, Target

# The kinds of configuration, and the route of a webhook that names no address.
_KINDS = {"MutatingWebhookConfiguration": "inject", "ValidatingWebhookConfiguration": "validate"}


class Webhook(Struct, frozen=True, kw_only=True):
    """One route that is called; ``manifest`` is the registered webhook, if there is one.

    ``path`` is what follows the route in the URL.
    """

    route: str
    name: str = ""
    injector: str = ""
    path: str = ""
    manifest: Object | None = None

    @property
    def ignores_failure(self) -> bool:
        """Whether the registration lets an object pass if the call fails."""
        return self.manifest is not None and self.manifest.get("failurePolicy") == "Ignore"


def select_routes(bundle: Bundle) -> tuple[Webhook, ...]:
    """The routes that a bundle serves, in kube-apiserver's order."""
    served = (bundle.pod_mutators, bundle.object_mutators, bundle.validators)
    return tuple(Webhook(route=route) for route, parts in zip(ROUTES, served, strict=True) if parts)


def read_webhooks(
    manifests: list[Object], path: Path | str, injector: str | None
) -> tuple[Webhook, ...]:
    """The webhooks that call podgraft, in kube-apiserver's order.

    *injector* selects those of one injector; without it all must call the same. Raises
    ``CommandError``, which names the file.
    """
    registered = parse_webhooks(each for each in manifests if each.get("kind") in _KINDS)
    if not registered:
        kinds = " or ".join(_KINDS)
        raise CommandError(
            f"{path}: expected a {kinds} with webhooks, got {_kinds(manifests)}; print one with "
            "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o yaml"
        )
    webhooks = [webhook for each in registered if (webhook := _read(each))]
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


def _read(registered: LiveWebhook) -> Webhook | None:
    """The webhook; ``None`` if its address is not one of podgraft's routes."""
    client = object_at(registered.manifest, "clientConfig")
    default = Target(_KINDS[registered.configuration_kind])
    target = read_destination(client).target if client else default
    if target is None:
        return None
    return Webhook(
        route=target.route,
        name=registered.name,
        injector=target.injector,
        path=target.tail,
        manifest=registered.manifest,
    )
