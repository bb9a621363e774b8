"""podgraft's outcome of the same settings and reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InvalidDocumentsError, OperatorError, UserError
from podgraft.core.injectors.istio import kubeinject
from podgraft.core.policy import decide
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml

from .program import Outcome, apply_patch


@dataclass(frozen=True, slots=True)
class Podgraft:
    """An injector with generated settings."""

    injector: istio.Injector

    def review(self, pod: Object, namespace: str, path: str) -> Outcome:
        """The outcome of a review of the pod."""
        tail = unquote(path).removeprefix("/inject").lstrip("/")  # net/http decodes the path, too
        environment = self.injector.parse_environment(tail)
        request = ReviewContext(namespace=namespace, environment=environment)
        try:
            if not decide(self.injector.config.rules, pod, namespace).injects:
                return Outcome()
            operations = self.injector.inject(pod, request).mutation.patch
        except UserError as error:
            return Outcome(refusal=str(error))
        except OperatorError as error:
            return Outcome(refusal=str(error), is_operators=True)
        return Outcome(pod=apply_patch(pod, operations))

    def kube_inject(self, text: str) -> tuple[str, str | None]:
        """The stream with sidecars, and the error, if there is one."""
        try:
            return kubeinject.inject(self.injector, text).text, None
        except (UserError, OperatorError, yaml.NotYAMLError) as error:
            return "", str(error)


def load(release: str, settings: Mapping[str, Any], environment: Mapping[str, str]) -> Podgraft:
    """Compile the settings; raises ``InvalidDocumentsError``."""
    resources: list[Object] = [
        {
            "metadata": {"name": resource["name"], "namespace": resource["namespace"]},
            "spec": _spec(resource["spec"]),
        }
        for resource in settings["proxyConfigs"]
    ]
    documents = istio.Documents(
        config=settings["config"],
        values=settings["values"],
        mesh=settings["mesh"],
        proxy_configs=tuple(resources),
    )
    native = environment.get("ENABLE_NATIVE_SIDECARS")
    surroundings = istio.IstiodEnvironment(
        release=release,
        revision=settings["revision"],
        native_sidecars=None if native is None else native == "true",
        platform=environment.get("PLATFORM"),
        env=environment,
    )
    return Podgraft(istio.compile_(documents, surroundings))


def _spec(text: str) -> JSON:
    return yaml.load(text)


__all__ = ["InvalidDocumentsError", "Podgraft", "load"]
