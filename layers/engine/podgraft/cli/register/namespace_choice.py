"""The namespaces of a registration, which the operator must choose explicitly.

A default for all namespaces would be dangerous: with failurePolicy Fail, kube-apiserver rejects the
pods of every namespace while the endpoint does not respond, also those that repair the cluster.
"""

import click

from podgraft.cli.register import selectors
from podgraft.cli.register.webhooks import FailurePolicy, Registration
from podgraft.kube.selectors import Operator

_CHOICES = """
  --revision default                            as Istio: namespaces with the label
                                                istio-injection=enabled, and pods that request it
  --namespace-selector istio-injection=enabled  the namespaces with this label
  --object-selector podgraft=hello              the pods with this label, in every namespace but
                                                those that the cluster needs to start
  --all-namespaces                              every namespace but kube-node-lease, kube-public,
                                                kube-system, and those of --exclude-namespace"""


def check_namespace_choice(
    registration: Registration, *, all_namespaces: bool, injects: bool, has_rules: bool
) -> None:
    """Raise ``UsageError`` without a choice, and for choices that exclude each other.

    *has_rules* is for webhooks of --mutate and --validate, which a revision does not select.
    """
    has_selector = not registration.namespaces.is_empty
    has_revision = registration.revision is not None
    if all_namespaces and has_selector:
        raise click.UsageError("--all-namespaces and --namespace-selector exclude each other")
    if all_namespaces and has_revision and not has_rules:
        raise click.UsageError(
            "--all-namespaces: --revision already selects the namespaces; give one of them"
        )
    if all_namespaces or has_selector or _requires_label(registration):
        return
    if injects and not has_revision:
        raise click.UsageError(f"the namespaces are missing; choose one of{_CHOICES}")
    if has_rules:
        raise click.UsageError(
            "--mutate and --validate: the namespaces are missing, because --revision selects pods "
            "only; give --namespace-selector, --object-selector, or --all-namespaces"
        )


def find_broad_warning(registration: Registration, *, all_namespaces: bool) -> str | None:
    """Return the warning about all namespaces with failurePolicy Fail."""
    if not all_namespaces or registration.failure_policy is not FailurePolicy.FAIL:
        return None
    if _requires_label(registration):
        return None
    excluded = ", ".join(
        sorted({*selectors.ALWAYS_EXCLUDED_NAMESPACES, *registration.excluded_namespaces})
    )
    return (
        "--all-namespaces: while the endpoint does not respond, failurePolicy Fail rejects new "
        f"objects in every namespace but {excluded}; exclude the namespaces that the cluster needs "
        "to recover with --exclude-namespace, such as those of DNS, CNI, ingress, and GitOps"
    )


def _requires_label(registration: Registration) -> bool:
    """Whether the selector of objects requires a label: other objects do not need the endpoint."""
    return any(one.is_positive for one in registration.objects.requirements)


def find_namespace_label(registration: Registration) -> str | None:
    """Return the label that selects a namespace, as for ``kubectl label``; None without one."""
    if registration.namespaces.is_empty:
        if registration.revision == selectors.DEFAULT_REVISION:
            return f"{selectors.NAMESPACE_LABEL}=enabled"
        revision = registration.revision
        return None if revision is None else f"{selectors.REVISION_LABEL}={revision}"
    labels = [
        f"{requirement.key}={min(requirement.values)}"
        for requirement in registration.namespaces.requirements
        if requirement.operator in {Operator.EQUALS, Operator.IN}
    ]
    return " ".join(labels) or None
