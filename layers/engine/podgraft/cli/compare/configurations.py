"""The configurations to compare pods with: a bundle, or the revisions of Istio in the cluster."""

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import Object
from podgraft.cli import configuration
from podgraft.cli.config_source import ConfigSource
from podgraft.cli.configuration import InjectOptions
from podgraft.cli.failure import CommandError
from podgraft.cli.live.api_errors import ApiError, ForbiddenError
from podgraft.cli.live.cluster import LiveCluster
from podgraft.cli.live.istio_source import DEFAULT_REVISION

from .pod_comparer import PodComparer, PodComparison, PodState, describe_pod, find_revision


class ConfigurationSource(Struct):
    """Loads each configuration once; collects the problems of those that do not load."""

    cluster: LiveCluster
    options: InjectOptions
    problems: list[str] = []
    _comparers: dict[str, PodComparer | None] = {}

    def find_comparer(self, revision: str) -> PodComparer | None:
        """Return the comparer for a revision, or None if its configuration is not available.

        With a bundle, it is the same for all revisions.
        """
        key = (
            "" if self.options.has_bundle else revision or self.options.revision or DEFAULT_REVISION
        )
        if key not in self._comparers:
            self._comparers[key] = self._load(key)
        return self._comparers[key]

    def compare(self, live: Object) -> PodComparison:
        """Compare a pod with the configuration of the revision that injected it."""
        revision = find_revision(live)
        if revision is None and not self.options.has_bundle:
            return describe_pod(live, PodState.NOT_INJECTED)
        comparer = self.find_comparer(self.options.revision or revision or "")
        if comparer is None:
            return describe_pod(live, PodState.OTHER_REVISION)
        return comparer.compare(live)

    def _load(self, revision: str) -> PodComparer | None:
        options = self.options
        if not options.has_bundle:
            source = ConfigSource(is_cluster=True)
            options = replace(options, config_source=source, revision=revision)
        try:
            loaded = configuration.load(options)
        except ForbiddenError as error:
            self.problems.append(f"revision {revision}: not checked: {error}")
            return None
        except CommandError as error:
            if self.options.has_bundle or isinstance(error, ApiError):
                raise
            self.problems.append(
                f"revision {revision}: not checked: {error.args[0]}; for pods of podgraft, use "
                "--config FOLDER"
            )
            return None
        return PodComparer(self.cluster, loaded.snapshot, loaded.caller)
