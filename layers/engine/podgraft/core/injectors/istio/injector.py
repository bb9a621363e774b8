"""An injector: compiled once, and shared by all reviews of its bundle."""

from collections.abc import Callable, Iterator, Mapping

from podgraft import kube
from podgraft.base.field_reads import FieldRead
from podgraft.base.jsonvalue import Object
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.review_context import ReviewContext
from podgraft.golang import strings
from podgraft.golang.texttemplate.field_check import FieldProblem
from podgraft.kube import yaml
from podgraft.kube.patch import strategic
from podgraft.kube.workload_owner import WorkloadRef

from . import releases
from .config import protojson, proxyconfig_redaction
from .context import prepare
from .data.reads import find_pod_reads
from .data.template_data import dot_type
from .injector_config import InjectorConfig
from .legacy.injection import LegacyInjector
from .releases import Profile
from .render.pod_overlay import OverlayError
from .result import Injection
from .template_injection import TemplateInjector


class Injector:
    """Istio's sidecar injector for one configuration; threads can share it."""

    def __init__(self, config: InjectorConfig) -> None:
        self.config = config
        make = TemplateInjector if config.profile.pod_templates else LegacyInjector
        self._implementation = make(config)

    @property
    def profile(self) -> Profile:
        """The release profile of the injector."""
        return self.config.profile

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of all templates."""
        return tuple(self.config.templates.parse)

    def check_fields(self, name: str) -> tuple[FieldProblem, ...]:
        """Return the fields that a template reads and its data cannot have.

        Raises ``OperatorError`` for a template that does not parse.
        """
        program = self.config.templates.lookup(name)
        return program.check_fields(dot_type(self.config.profile))

    def find_reads(self, name: str) -> tuple[FieldRead, ...]:
        """Return what a template reads of a pod; nothing for a template that does not parse."""
        try:
            program = self.config.templates.lookup(name)
        except OperatorError:
            return ()
        return find_pod_reads(program, name, self.config.profile)

    def parse_environment(self, path: str) -> Mapping[str, str]:
        """Return the proxy's variables in the URL's path after ``/inject/``, by this release."""
        return parse_environment(self.profile, path)

    def redact_proxy_config(
        self, text: str, redact: Callable[[str], str], redact_key: Callable[[str], str]
    ) -> str:
        """Return the annotation with the proxy's configuration, without possible secrets."""
        schema = protojson.schema(self.profile)
        return proxyconfig_redaction.redact_proxy_config(schema, text, redact, redact_key)

    def find_unread_variables(self, path: str) -> Mapping[str, str]:
        """Return the variables that the newest release reads in the path, and this one does not."""
        variables = self.parse_environment(path).items()
        newest = parse_environment(releases.newest(), path)
        return {name: value for name, value in newest.items() if (name, value) not in variables}

    def inject(
        self, pod: Object, review: ReviewContext, workload: WorkloadRef | None = None
    ) -> Injection:
        """Inject the pod; ``pod`` itself is not changed.

        With *workload*, the pod is the template of this workload in a file, which kube-inject
        injects, and this method checks that it decodes. Otherwise, the caller has checked that, and
        the owner references of the pod define its workload.

        ``policy.decide`` decides whether to inject. Raises ``UserError`` for an error of the pod's
        author, and ``OperatorError`` for an error of the operator.
        """
        try:
            return self._implementation.inject(prepare(self.config, pod, review, workload))
        except _CONVERSION_ERRORS as error:
            raise OperatorError(f"failed to run injection template: {error}") from error


# Each has a text for operators. Where one is expected, it becomes an error with its origin.
_CONVERSION_ERRORS = (OverlayError, strategic.MergeError, yaml.NotYAMLError, kube.DecodeError)


_PATH_VARIABLES = {"cluster": "ISTIO_META_CLUSTER_ID", "net": "ISTIO_META_NETWORK"}
_LEGACY_PREFIX = ":ENV:"


def parse_environment(profile: Profile, tail: str) -> Mapping[str, str]:
    """Parse the variables in ``KEY/VALUE/…`` or, in the older form, ``:ENV:KEY=VALUE…``.

    ``tail`` is what follows ``/inject/`` in the path.

    >>> from . import releases
    >>> parse_environment(releases.newest(), "cluster/c1/rootpage/--slash--foo")
    {'ISTIO_META_CLUSTER_ID': 'c1', 'ROOTPAGE': '/foo'}
    >>> parse_environment(releases.newest(), ":ENV:net=n1:ENV:rootpage=/foo")
    {'ISTIO_META_NETWORK': 'n1', 'ROOTPAGE': '/foo'}
    """
    if not profile.path_environment:
        return {}
    if not profile.path_pairs:
        return _parse_old_path(tail)
    text = tail.removesuffix("/")
    is_legacy = text.startswith(_LEGACY_PREFIX) and profile.env_paths
    pairs = _parse_legacy_pairs(text) if is_legacy else _parse_pairs(profile, text)
    return {_PATH_VARIABLES.get(key) or strings.to_upper(key): value for key, value in pairs if key}


def _parse_old_path(tail: str) -> Mapping[str, str]:
    """Return cluster and network of a path that ends in ``CLUSTER/net/NETWORK``, as in 1.7."""
    segments = tail.split("/")
    if len(segments) < 3:  # noqa: PLR2004 - with "/inject" before them, five
        return {}
    return {_PATH_VARIABLES["cluster"]: segments[-3], _PATH_VARIABLES["net"]: segments[-1]}


def _parse_legacy_pairs(text: str) -> Iterator[tuple[str, str]]:
    for piece in text.split(_LEGACY_PREFIX)[1:]:
        key, separator, value = piece.partition("=")
        if separator:
            yield key, value


def _parse_pairs(profile: Profile, text: str) -> Iterator[tuple[str, str]]:
    parts = text.split("/")
    for key, value in zip(parts[::2], parts[1::2], strict=False):
        yield key, value.replace("--slash--", "/") if profile.slash_paths else value
