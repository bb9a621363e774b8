"""Istio's injection configuration in a cluster, as a bundle and a policy."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at, without_keys
from podgraft.cli.failure import CommandError
from podgraft.core.injectors.istio import releases
from podgraft.core.injectors.istio.releases import Profile
from podgraft.kube import yaml
from podgraft.kube.names import label_value_problem

from . import istiod, shared_mesh
from .api_errors import ApiError, ForbiddenError
from .cluster import LiveCluster
from .istiod import IstiodEnvironment
from .registrations import InjectorKind, Webhook, parse_webhooks
from .resources import DEPLOYMENT

DEFAULT_REVISION = "default"
_INJECTOR_MAP = "istio-sidecar-injector"
_MESH_MAP = "istio"
_MESH_KEY = "mesh"
_REVISION_LABEL = "istio.io/rev"
_TAG_LABEL = "istio.io/tag"
_SYSTEM_FIELDS = frozenset(
    {"managedFields", "uid", "resourceVersion", "generation", "ownerReferences"}
)
_SCC_PREFIX = "openshift.io/"
_OPENSHIFT = "openshift"


class IstioSource(Struct, frozen=True, kw_only=True):
    """A revision of Istio: the files of its bundle, its policy, and what they do not contain.

    ``webhooks`` are the injecting webhooks of the revision.
    """

    revision: str
    files: dict[str, bytes]
    policy: Object
    warnings: tuple[str, ...]
    webhooks: tuple[Webhook, ...]

    @property
    def policy_text(self) -> str:
        """The policy document."""
        return yaml.dump(self.policy, sort_keys=False) if self.policy else ""


class IstioReader(Struct):
    """Reads one revision; collects warnings."""

    cluster: LiveCluster
    namespace: str
    warnings: list[str] = []

    def read(self, revision: str | None) -> IstioSource:
        """Read a revision or a tag; None is the only one. Raises ``CommandError``."""
        webhooks = parse_webhooks(self.cluster.read_webhook_configurations())
        found = self._resolve_revision(revision, webhooks)
        injector = self._read_config_map(_INJECTOR_MAP, found)
        config = string_at(injector, "data", "config")
        values = _parse_values(string_at(injector, "data", "values"))
        environment = self._read_istiod(found)
        policy = self._make_policy(found, environment, config, values)
        files = {"injector.yaml": _dump(injector)}
        release = policy.get("istioRelease") or object_at(values, "global").get("tag")
        mesh = self._read_mesh(found, environment, release)
        if mesh is not None:
            files["mesh.yaml"] = _dump(mesh)
        files |= self._read_proxy_configs()
        if object_at(policy, "features").get("platform") == _OPENSHIFT:
            files |= self._read_scc_namespaces()
        self._check_cluster_id(environment, values)
        return IstioSource(
            revision=found,
            files=files,
            policy=policy,
            warnings=tuple(self.warnings),
            webhooks=tuple(_select_webhooks(webhooks, found)),
        )

    def list_revisions(self) -> list[str]:
        """Return the revisions of the cluster that have a ConfigMap, in order of their names."""
        return self._find_revisions(parse_webhooks(self.cluster.read_webhook_configurations()))

    def _resolve_revision(self, revision: str | None, webhooks: list[Webhook]) -> str:
        """Return the revision of a tag, or the only revision with a ConfigMap."""
        if revision is not None:
            for webhook in webhooks:
                if webhook.labels.get(_TAG_LABEL) == revision and webhook.revision:
                    return self._check_revision(webhook.revision)
            return revision
        existing = self._find_revisions(webhooks)
        if len(existing) > 1:
            raise CommandError(
                f"namespace {self.namespace}: has several revisions of Istio: "
                f"{', '.join(existing)}; choose one with --revision"
            )
        return existing[0]

    def _find_revisions(self, webhooks: list[Webhook]) -> list[str]:
        names = {webhook.revision for webhook in webhooks if webhook.kind is InjectorKind.ISTIOD}
        candidates = sorted({DEFAULT_REVISION, *map(self._check_revision, names - {""})})
        existing = [name for name in candidates if self._find_injector_map(name) is not None]
        if not existing:
            raise CommandError(
                f"ConfigMap {self.namespace}/{_INJECTOR_MAP}: not found; set --istio-namespace and "
                "--revision, or use --config FOLDER"
            )
        return existing

    def _check_revision(self, revision: str) -> str:
        """Return the value of a label, which becomes the name of a folder, and a printed option.

        kube-apiserver stores no other value. Raises ``ApiError``.
        """
        problem = label_value_problem(revision)
        if problem is not None:
            raise ApiError(
                f"label {_REVISION_LABEL}: {problem.got}, which no API server of Kubernetes "
                f"stores; check the server of {self.cluster.reader.name}"
            )
        return revision

    def _find_injector_map(self, revision: str) -> Object | None:
        return self.cluster.find_config_map(self.namespace, _map_name(_INJECTOR_MAP, revision))

    def _read_config_map(self, prefix: str, revision: str) -> Object:
        name = _map_name(prefix, revision)
        config_map = self.cluster.find_config_map(self.namespace, name)
        if config_map is None:
            raise CommandError(
                f"ConfigMap {self.namespace}/{name}: not found; set --istio-namespace, or "
                "--revision to a revision that kubectl get deployments -A -l app=istiod "
                "-L istio.io/rev prints"
            )
        return config_map

    def _read_mesh(
        self, revision: str, environment: IstiodEnvironment, release: JSON
    ) -> Object | None:
        """Return the ConfigMap with the mesh configuration, over that of SHARED_MESH_CONFIG."""
        name = _map_name(_MESH_MAP, revision)
        mesh = self.cluster.find_config_map(self.namespace, name)
        shared = self._read_shared_mesh(environment)
        if mesh is None and shared is None:
            self.warnings.append(
                f"ConfigMap {self.namespace}/{name}: not found; the bundle has no mesh "
                "configuration, so podgraft uses Istio's defaults"
            )
        if shared is None:
            return mesh
        own = string_at(mesh or {}, "data", _MESH_KEY)
        try:
            text = shared_mesh.merge_mesh_texts(shared, own, _find_profile(release))
        except yaml.NotYAMLError as error:
            self.warnings.append(
                f"istiod: {istiod.SHARED_MESH}: the mesh configurations of ConfigMaps "
                f"{environment.variables[istiod.SHARED_MESH]} and {name} cannot be merged: "
                f"{error}; correct the one that is invalid, and import again"
            )
            return mesh
        manifest: Object = mesh or {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": self.namespace},
        }
        data: Object = {**object_at(manifest, "data"), _MESH_KEY: text}
        return {**manifest, "data": data}

    def _read_shared_mesh(self, environment: IstiodEnvironment) -> str | None:
        """Return the mesh configuration that SHARED_MESH_CONFIG names; None without one."""
        name = environment.variables.get(istiod.SHARED_MESH)
        if not name:
            return None
        location = f"istiod: {istiod.SHARED_MESH}: ConfigMap {self.namespace}/{name}"
        with self._warn_if_forbidden(
            f"{location}: not readable; merge its key {_MESH_KEY} below mesh.yaml of the bundle, "
            "or import as a user who may get it"
        ):
            config_map = self.cluster.find_config_map(self.namespace, name)
            if config_map is not None:
                return string_at(config_map, "data", _MESH_KEY)
            self.warnings.append(f"{location}: not found; istiod ignores it too")
        return None

    @contextmanager
    def _warn_if_forbidden(self, warning: str) -> Generator[None]:
        """Add the warning, and end the block, if the user may not read the object."""
        try:
            yield
        except ForbiddenError:
            self.warnings.append(warning)

    def _read_istiod(self, revision: str) -> IstiodEnvironment:
        """Return the environment of istiod; empty, with a warning, if istiod is elsewhere."""
        selector = f"app=istiod,{_REVISION_LABEL}={revision}"
        deployments = [*self.cluster.list_objects(DEPLOYMENT, self.namespace, selector)]
        if not deployments:
            self.warnings.append(
                f"namespace {self.namespace}: no deployment of istiod with revision {revision}; "
                "set the variables of istiod in the policy (docs/from-istio.md)"
            )
            return IstiodEnvironment({})
        if len(deployments) > 1:
            names = ", ".join(string_at(each, "metadata", "name") for each in deployments)
            self.warnings.append(
                f"namespace {self.namespace}: several deployments of istiod: {names}; the "
                "variables are those of the first one"
            )
        return istiod.parse_deployment(deployments[0])

    def _make_policy(
        self, revision: str, environment: IstiodEnvironment, config: str, values: Object
    ) -> Object:
        policy: Object = {} if revision == DEFAULT_REVISION else {"revision": revision}
        tag = object_at(values, "global").get("tag")
        release = istiod.choose_release(environment, tag)
        if release is not None:
            policy["istioRelease"] = release
        names = istiod.find_template_variables(config)
        features = istiod.make_features(environment, names)
        release_text = release or (tag if isinstance(tag, str) else "")
        native = self._find_native_sidecars(environment, release_text)
        if native is not None:
            features = {"nativeSidecars": native, **features}
        self.warnings.extend(istiod.find_unread(environment, names))
        return {**policy, "features": features} if features else policy

    def _find_native_sidecars(self, environment: IstiodEnvironment, release: str) -> bool | None:
        """Return the result of istiod's decision for a new pod; None if nothing selects it."""
        if releases.parse_name(release) is None and not environment.variables:
            return None
        mode = istiod.find_native_mode(environment, release)
        if mode != "auto":
            return mode == "true"
        with self._warn_if_forbidden(
            "nodes: not readable, so the kubelet versions are unknown; set "
            "features.nativeSidecars to true if every kubelet is 1.33 or later, else to false"
        ):
            return istiod.are_kubelets_native(self.cluster.read_node_versions())
        return None

    def _read_proxy_configs(self) -> dict[str, bytes]:
        with self._warn_if_forbidden(
            "proxyconfigs: not readable; if the cluster has some, add them to the bundle: "
            "kubectl get proxyconfigs -A -o yaml"
        ):
            items = self.cluster.read_proxy_configs()
            return {"proxyconfigs.yaml": b"---\n".join(map(_dump, items))} if items else {}
        return {}

    def _read_scc_namespaces(self) -> dict[str, bytes]:
        """Return the namespaces with the ids that OpenShift assigned."""
        documents = [
            _dump(_select_annotations(namespace))
            for namespace in self.cluster.read_namespaces().values()
        ]
        self.warnings.append(
            "namespaces: the bundle contains the ids of OpenShift of the present namespaces only; "
            "import again after you create a namespace"
        )
        return {"namespaces.yaml": b"---\n".join(documents)}

    def _check_cluster_id(self, environment: IstiodEnvironment, values: Object) -> None:
        name = object_at(values, "global", "multiCluster").get("clusterName")
        cluster_id = environment.variables.get("CLUSTER_ID")
        expected = name if isinstance(name, str) and name else "Kubernetes"
        if cluster_id and cluster_id != expected:
            self.warnings.append(
                f"istiod: CLUSTER_ID is {cluster_id}, and the values of the injector set "
                f"{expected}; register with --istio-cluster-id {cluster_id}"
            )


def _select_webhooks(webhooks: Iterable[Webhook], revision: str) -> Iterator[Webhook]:
    for webhook in webhooks:
        is_istio = webhook.kind is InjectorKind.ISTIOD and webhook.is_injecting
        if is_istio and (webhook.revision or DEFAULT_REVISION) == revision:
            yield webhook


def _find_profile(release: JSON) -> Profile:
    """Return the profile of a release; for a tag without one, that of the newest."""
    try:
        return releases.parse_release(release) if isinstance(release, str) else releases.newest()
    except releases.UnknownReleaseError:
        return releases.newest()


def _map_name(prefix: str, revision: str) -> str:
    return prefix if revision == DEFAULT_REVISION else f"{prefix}-{revision}"


def _parse_values(text: str) -> Object:
    try:
        values = yaml.load(text, strict=False) if text else {}
    except yaml.NotYAMLError:
        return {}  # compiling the bundle reports it
    return values if isinstance(values, dict) else {}


def _dump(manifest: Object) -> bytes:
    """Dump a manifest without the fields that differ in each cluster and at each change.

    A ProxyConfig keeps its creation time, by which Istio orders them.
    """
    metadata = without_keys(object_at(manifest, "metadata"), *_SYSTEM_FIELDS, "annotations")
    annotations = without_keys(
        object_at(manifest, "metadata", "annotations"),
        "kubectl.kubernetes.io/last-applied-configuration",
    )
    if annotations:
        metadata["annotations"] = annotations
    if manifest.get("kind") != "ProxyConfig":
        metadata.pop("creationTimestamp", None)
    fields = without_keys(manifest, "metadata", "status")
    ordered: Object = {"apiVersion": fields.pop("apiVersion"), "kind": fields.pop("kind")}
    return yaml.dump({**ordered, "metadata": metadata, **fields}).encode()


def _select_annotations(namespace: Object) -> Object:
    """Return a Namespace with labels and the annotations of OpenShift."""
    metadata = object_at(namespace, "metadata")
    annotations: Object = {
        key: value
        for key, value in object_at(metadata, "annotations").items()
        if key.startswith(_SCC_PREFIX)
    }
    selected: dict[str, JSON] = {
        "name": metadata.get("name"),
        "labels": metadata.get("labels") or {},
    }
    if annotations:
        selected["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": selected}
