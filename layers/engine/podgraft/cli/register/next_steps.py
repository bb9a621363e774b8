"""What an operator does with the printed manifests."""

from collections.abc import Iterator
from shlex import quote

from podgraft.cli.register import control_plane
from podgraft.cli.register.namespace_choice import find_namespace_label
from podgraft.cli.register.options import RegisterOptions
from podgraft.cli.register.webhooks import FailurePolicy, Registration

_STATIC_STEPS = (
    "in Kubernetes 1.36, enable the feature gate ManifestBasedAdmissionControlConfig",
    "to disable the webhook in an emergency, remove its file on every control plane node",
    "before a downgrade to Kubernetes 1.35, remove staticManifestsDir from the configuration",
)


def list_next_steps(registration: Registration, options: RegisterOptions) -> Iterator[str]:
    """Return the steps in their order; the URL can hold a token only without a control plane."""
    control_plane_folder, static_folder = options["control_plane"], options["static"]
    has_sidecar_check = options["sidecar_check"] is not None
    if control_plane_folder:
        path = quote(str(control_plane_folder / control_plane.CONFIGURATION))
        yield f"on every control plane node: kube-apiserver --admission-control-config-file={path}"
    if static_folder:
        yield (
            f"copy {static_folder} to the same path on every control plane node "
            "(Kubernetes 1.37 or later)"
        )
        yield from _STATIC_STEPS
    else:
        yield "kubectl apply --server-side -f FILE, with the output in FILE"
    if options["token_file"] is not None and not control_plane_folder:
        yield "the URL contains the token: anyone who can read webhook configurations can read it"
    label = find_namespace_label(registration)
    if label is not None:
        yield f"choose the namespaces: kubectl label namespace NAME {label}"
    if registration.failure_policy is FailurePolicy.IGNORE and not has_sidecar_check:
        yield "failurePolicy Ignore misses silently: --sidecar-check rejects pods without sidecar"
    if has_sidecar_check and options["folder"] is None:
        yield "the sidecar check uses the default rules: give FOLDER to use those of your bundle"
    if options["inject"]:
        yield (
            "try it with a pod that the selectors match: kubectl run web --namespace NAME "
            "--labels=KEY=VALUE --image=nginx --dry-run=server -o yaml"
        )
