"""``podgraft register``: check the settings, and print the manifests that register a webhook."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

import click
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.cli import command_help, folders, outputs, program
from podgraft.cli.certs import trust
from podgraft.cli.config_source import ConfigFolder, optional_folder_argument
from podgraft.cli.failure import CommandError, convert_errors, print_warnings
from podgraft.cli.outputs import SECRET, Output
from podgraft.cli.register import (
    auth_info,
    authorities,
    control_plane,
    endpoint,
    endpoint_review,
    mesh,
    namespace_choice,
    native,
    next_steps,
    policy_rules,
    selectors,
    service,
    sidecar_check,
    static,
    webhooks,
)
from podgraft.cli.register.control_plane import AuthInfo
from podgraft.cli.register.options import RegisterOptions
from podgraft.cli.register.target import parse_target, target_options, use_demo
from podgraft.cli.register.webhooks import FailurePolicy, Registration, Reinvocation, WebhookRule
from podgraft.cli.shared_options import FILE, NEW_FOLDER, choice_option
from podgraft.core.bundle import Bundle, BundleError, compile_
from podgraft.core.bundle.cluster_ids import UrlPath, find_path_warnings, find_policy_warnings
from podgraft.core.identifiers import IdentifierError, check_cluster
from podgraft.core.policy import InjectionRules, Policy, PolicyError
from podgraft.core.policy import parse as parse_policy
from podgraft.kube import yaml
from podgraft.kube.mutation import MutatingPolicy
from podgraft.kube.names import is_dns_label


@command_help.command("register")
@optional_folder_argument
@target_options
@click.option(
    "--ca-bundle", type=FILE, multiple=True, help="CA certificates, PEM; default: public CAs."
)
@click.option(
    "--cert-manager",
    metavar="NAMESPACE/CERTIFICATE",
    help="Certificate from which cert-manager copies the CAs, instead of --ca-bundle.",
)
@click.option("--server-cert", type=FILE, help="Server certificate, to verify it with the CAs.")
@click.option(
    "--test",
    "is_tested",
    is_flag=True,
    help="Send a review with the credential to the endpoint, and verify its certificate.",
)
@click.option("--injector", help="Injector; default: that of the URL, or default.")
@click.option(
    "--cluster", help="Calling cluster, which its token or certificate identifies; not in the path."
)
@click.option(
    "--istio-cluster-id", metavar="ID", help="Cluster id of Istio's proxies, in the path."
)
@click.option("--istio-network", metavar="NET", help="Network of Istio's proxies, in the path.")
@click.option("--env", multiple=True, help="Variable NAME=VALUE of proxies, in the path.")
@click.option("--token-file", type=FILE, help="File of the token, to add it to the path.")
@click.option(
    "--client-cert", type=FILE, help="Client certificate of the cluster, for --control-plane."
)
@click.option("--client-key", type=FILE, help="Key of --client-cert.")
@click.option(
    "--control-plane",
    type=NEW_FOLDER,
    help="Folder for an AdmissionConfiguration that sends the token in a header, or the client "
    "certificate.",
)
@click.option(
    "--static",
    type=NEW_FOLDER,
    help="Folder for static manifests, which kube-apiserver 1.37 or later reads, instead of "
    "manifests for kubectl apply; needs --control-plane.",
)
@click.option(
    "--force", is_flag=True, help="Replace existing files of --control-plane and --static."
)
@click.option("--revision", help="Istio revision or tag to register.")
@click.option(
    "--tag-of",
    metavar="REVISION",
    help="Revision of istiod of which --revision is a tag, so istiod serves its Gateways.",
)
@click.option(
    "--webhook-name",
    metavar="DOMAIN",
    default=webhooks.DOMAIN,
    show_default=False,  # the help names it
    help="End of the webhook names, such as podgraft.istio.io; default: podgraft.dev.",
)
@click.option("--inject/--no-inject", default=True, help="Inject into pods.")
@click.option(
    "--mutate",
    multiple=True,
    help="Resources for overlays and mutating policies: "
    "[GROUP/]VERSION/RESOURCE[:OPERATION,…]; default: those of the policies in FOLDER.",
)
@click.option(
    "--validate",
    multiple=True,
    help="Resources to validate: [GROUP/]VERSION/RESOURCE[:OPERATION,…].",
)
@click.option(
    "--exclude-namespace",
    multiple=True,
    help="Namespace without injection, such as that of the endpoint.",
)
@click.option(
    "--namespace-selector", default="", help="Selector of namespaces, as for kubectl get -l."
)
@click.option(
    "--all-namespaces",
    is_flag=True,
    help="Select every namespace, except those that the cluster needs to start.",
)
@click.option("--object-selector", default="", help="Additional selector, as for kubectl -l.")
@click.option("--match-condition", multiple=True, help="Match condition, as NAME=CEL-EXPRESSION.")
@choice_option(
    "--failure-policy",
    choices=FailurePolicy,
    text="What kube-apiserver does with a pod if podgraft does not respond: Fail rejects it.",
)
@click.option("--timeout", type=int, default=10, help="Timeout in seconds, 1 to 30.")
@choice_option(
    "--reinvocation-policy",
    choices=Reinvocation,
    text="Whether kube-apiserver calls the webhook again if a later webhook changes the pod.",
)
@click.option(
    "--census", is_flag=True, help="Set sideEffects: NoneOnDryRun, for policies with a census."
)
@click.option(
    "--sidecar-check",
    is_flag=False,
    flag_value=sidecar_check.DEFAULT_CONTAINER,
    metavar="[CONTAINER]",
    help="Also print a ValidatingAdmissionPolicy that rejects pods without this sidecar.",
)
@native.native_option
def command(**options: Unpack[RegisterOptions]) -> None:
    """Check the settings, and print webhook manifests for kubectl apply.

    FOLDER contains policy.yaml and bundle/, for --sidecar-check and for the rules of mutating
    policies; the path is also compared with its mesh.

    Choose the pods with --revision, --namespace-selector, --object-selector, or --all-namespaces.
    """
    source = options["source"]
    if source is not None and source.folder is not None:
        options = use_demo(options, source.folder)
    with convert_errors(BundleError, IdentifierError, PolicyError):
        _register(options)


def _register(options: RegisterOptions) -> None:
    if options["cluster"] is not None:
        check_cluster(options["cluster"])
    compiled = _compile_bundle(options)
    registration = _make_registration(options, compiled)
    authorities.check_trust(registration.endpoint, options)
    identity = auth_info.load_auth_info(options)
    policies = native.find_policies(compiled, options["native"])
    manifests = list(_make_manifests(registration, options, compiled, policies))
    if not manifests:
        is_native = bool(options["native"])
        raise CommandError(native.describe_nothing(registration, is_native=is_native))
    if options["is_tested"]:
        endpoint_review.review_endpoints(manifests, identity, options)
    if identity is not None and options["control_plane"]:
        _write_files(options["control_plane"], registration, identity, manifests, options)
    if options["static"] is None:
        click.echo("---\n".join(map(yaml.dump, manifests)), nl=False)
    _warn(registration, options, compiled)
    program.print_next_steps(
        *next_steps.list_next_steps(registration, options),
        *native.list_next_steps(compiled, policies),
    )


def _parse_endpoint(options: RegisterOptions) -> endpoint.Endpoint:
    parsed_endpoint = parse_target(options)
    if options["control_plane"] is None:
        parsed_endpoint = endpoint.with_token(
            parsed_endpoint, auth_info.read_token(options["token_file"])
        )
    authorities.check_source(parsed_endpoint, options)
    return parsed_endpoint


def _make_registration(options: RegisterOptions, compiled: Bundle | None) -> Registration:
    roots = authorities.read_roots(options["ca_bundle"])
    parsed_endpoint = _parse_endpoint(options)
    variables = mesh.variables(
        options["istio_cluster_id"], options["istio_network"], options["env"]
    )
    registration = Registration(
        endpoint=endpoint.with_variables(parsed_endpoint, variables),
        ca_bundle=trust.encode_ca_bundle(roots) if roots else None,
        ca_certificate=options["cert_manager"],
        injector=parsed_endpoint.injector,
        revision=options["revision"],
        excluded_namespaces=(
            *options["exclude_namespace"],
            *endpoint.service_namespace(parsed_endpoint),
        ),
        namespaces=selectors.parse_selector(options["namespace_selector"]),
        objects=selectors.parse_selector(options["object_selector"]),
        conditions=tuple(map(webhooks.parse_condition, options["match_condition"])),
        failure_policy=FailurePolicy(options["failure_policy"]),
        reinvocation=Reinvocation(options["reinvocation_policy"]),
        timeout_seconds=options["timeout"],
        is_recorded=options["census"],
        domain=options["webhook_name"],
        tag_of=options["tag_of"],
    )
    webhooks.check_registration(registration)
    namespace_choice.check_namespace_choice(
        registration,
        all_namespaces=options["all_namespaces"],
        injects=options["inject"],
        has_rules=bool(
            options["mutate"] or options["validate"] or policy_rules.find_policies(compiled)
        ),
    )
    service.check_path(registration.endpoint)
    return registration


def _make_manifests(
    registration: Registration,
    options: RegisterOptions,
    compiled: Bundle | None,
    policies: Sequence[MutatingPolicy],
) -> Iterator[Object]:
    policies = () if options["mutate"] else policies
    mutate = [*map(webhooks.parse_rule, options["mutate"]), *policy_rules.make_rules(policies)]
    validate: list[WebhookRule] = [webhooks.parse_rule(text) for text in options["validate"]]
    manifests = (
        webhooks.make_mutating_configuration(
            registration,
            options["inject"],
            mutate,
            policy_rules.make_conditions(policies),
            is_reinvoked=any(policy.is_reinvoked for policy in policies),
        ),
        webhooks.make_validating_configuration(registration, validate),
    )
    yield from (manifest for manifest in manifests if manifest is not None)
    if options["sidecar_check"]:
        if not options["inject"]:
            raise CommandError("--sidecar-check is about injected pods; leave out --no-inject")
        if not is_dns_label(options["sidecar_check"]):
            raise CommandError(
                f"--sidecar-check {options['sidecar_check']}: is not the name of a container; "
                "write FOLDER before the options"
            )
        rules = compiled.rules if compiled else Policy().apply_to(InjectionRules())
        yield sidecar_check.make_check_policy(registration, rules, options["sidecar_check"])
        yield from sidecar_check.make_check_bindings(registration)


def _read_policy(folder: ConfigFolder) -> Policy:
    return parse_policy(folders.read_text(folder.policy) if folder.policy else "")


def _compile_bundle(options: RegisterOptions) -> Bundle | None:
    """Compile the local bundle with the policy for the calling cluster."""
    folder = options["folder"]
    if folder is None:
        return None
    own = replace(_read_policy(folder).for_cluster(options["cluster"]), bundle=None)
    return compile_(folders.read_manifests(folder.bundle), own)


def _warn(registration: Registration, options: RegisterOptions, compiled: Bundle | None) -> None:
    """Print warnings about the namespaces, and the variables in the path and in the bundle."""
    broad = namespace_choice.find_broad_warning(
        registration, all_namespaces=options["all_namespaces"]
    )
    print_warnings([broad] if broad else [])
    tail, folder = registration.endpoint.tail, options["folder"]
    if compiled is not None and folder is not None:
        url = UrlPath(tail, file="the path and --istio-cluster-id")
        print_warnings(find_path_warnings(compiled, url))
        print_warnings(find_policy_warnings(compiled, _read_policy(folder), str(folder.policy)))
    elif mesh.CLUSTER in registration.endpoint.variables:
        click.echo(
            "not compared: the path sets the cluster id of proxies; give FOLDER to compare it "
            "with global.multiCluster.clusterName",
            err=True,
        )


def _write_files(
    folder: Path,
    registration: Registration,
    identity: AuthInfo,
    manifests: list[Object],
    options: RegisterOptions,
) -> None:
    """Write the files of the control plane and the static manifests: all or none."""
    static_folder = None if options["static"] is None else static.parse_folder(options["static"])
    documents = {
        control_plane.KUBECONFIG: control_plane.make_kubeconfig(registration.endpoint, identity),
        control_plane.CONFIGURATION: control_plane.make_admission_configuration(
            folder, static_folder
        ),
    }
    files = [
        Output(folder / name, yaml.dump(document).encode(), SECRET)
        for name, document in documents.items()
    ]
    if static_folder is not None:
        files += static.make_files(static_folder, manifests, registration.name)
        for name in static.FOLDERS.values():  # kube-apiserver does not start without one of them
            (static_folder / name).mkdir(parents=True, exist_ok=True)
    outputs.write_files(files, force=options["force"])
