"""A compiled mesh: which pods it selects, and what its template adds to them."""

from collections.abc import Mapping

import msgspec

from podgraft.base.jsonvalue import JSON, Object
from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.core.injectors.plain_text import is_plain_text, path_steps
from podgraft.core.injectors.structure_check import (
    CheckedTemplate,
    StructureError,
    find_failing_text,
    render_with_check,
)
from podgraft.golang import texttemplate
from podgraft.golang.reflect import STRING, Field, Struct, struct_type
from podgraft.golang.reflect.taint import Address, PlaceholderRegistry
from podgraft.golang.texttemplate import DEFAULT_LIMITS, Limits
from podgraft.golang.texttemplate.field_check import FieldProblem
from podgraft.kube import yaml
from podgraft.kube.patch import pointer

# The lists that a template can add to, in the order in which they are appended.
LISTS = ("containers", "initContainers", "volumes", "imagePullSecrets")

_DATA = struct_type("TemplateData")
_DATA.fields = tuple(
    Field(name, STRING, name) for name in ("MeshName", "VirtualNodeName", "AwsRegion", "AppPort")
)


_NODE, _PORTS = "VirtualNodeName", "AppPort"


class _MisshapenError(Exception):
    """A rendered template is YAML, but not a patch."""


_FAILURES = (
    texttemplate.ExecError,
    texttemplate.LimitError,
    yaml.NotYAMLError,
    _MisshapenError,
)


class MeshLabelSelector(msgspec.Struct, frozen=True):
    """``labelSelector``: pods that have all of these labels."""

    labels: Mapping[str, str]

    def selects(self, labels: Mapping[str, JSON], _namespace: str) -> bool:
        """Whether a pod with these labels is selected."""
        return all(labels.get(key) == value for key, value in self.labels.items())

    def describe(self, *, is_match: bool) -> str:
        """A sentence for people: whether the selector selects the pod."""
        labels = ", ".join(f"{key}={value}" for key, value in sorted(self.labels.items()))
        return f"{_VERBS[is_match]} the pod (labelSelector {labels or 'without labels'})"


class MeshNamespaceSelector(msgspec.Struct, frozen=True):
    """``namespaceSelector``: pods of these namespaces."""

    namespaces: frozenset[str]

    def selects(self, _labels: Mapping[str, JSON], namespace: str) -> bool:
        """Whether a pod of this namespace is selected."""
        return namespace in self.namespaces

    def describe(self, *, is_match: bool) -> str:
        """A sentence for people: whether the selector selects the pod."""
        names = ", ".join(sorted(self.namespaces))
        return f"{_VERBS[is_match]} the pod (namespaceSelector {names or 'without namespaces'})"


_VERBS = {True: "selects", False: "does not select"}


class Mesh(msgspec.Struct, frozen=True, kw_only=True):
    """A compiled mesh; ``document`` is its ``namespace/name``."""

    name: str
    document: str
    region: str
    node_label: str
    selector: MeshLabelSelector | MeshNamespaceSelector
    template: texttemplate.Program

    def check_fields(self) -> tuple[FieldProblem, ...]:
        """Return the fields that the template reads and its data cannot have."""
        return self.template.check_fields(_DATA)

    def render(self, node: str, ports: str, limits: Limits = DEFAULT_LIMITS) -> Object:
        """Render the additions to a pod: lists by name.

        Raises ``OperatorError``, or ``UserError`` if the pod's text is the cause.
        """
        template = self._make_checked_template(node, ports, limits)
        try:
            return render_with_check(
                template, is_harmless=is_plain_text(node) and is_plain_text(ports)
            )
        except StructureError as error:
            raise UserError(
                f"{self._describe_address(error.address)}: its text would change the structure of "
                f"the patch template of mesh {self.name}; use letters, digits, dashes, and dots"
            ) from error
        except _FAILURES as error:
            raise self._classify_error(error, template) from error

    def _make_checked_template(
        self, node: str, ports: str, limits: Limits
    ) -> CheckedTemplate[Object]:
        return CheckedTemplate(
            f"mesh {self.name}",
            self.template,
            lambda: self._make_dot(node, ports),
            lambda slots: self._taint_dot(slots, node, ports),
            _parse_additions,
            _parse_additions,  # it refuses a key that a mapping has twice
            limits,
        )

    def _make_dot(self, node: str, ports: str) -> Struct:
        data: Object = {
            "MeshName": self.name,
            "VirtualNodeName": node,
            "AwsRegion": self.region,
            "AppPort": ports,
        }
        return Struct(_DATA, data)

    def _taint_dot(self, slots: PlaceholderRegistry, node: str, ports: str) -> Struct:
        return self._make_dot(
            slots.taint_string(node, (None, _NODE)), slots.taint_string(ports, (None, _PORTS))
        )

    def _classify_error(
        self, error: Exception, template: CheckedTemplate[Object]
    ) -> InjectionError:
        """The error of the pod's author or of the operator, by the cause of the failure."""
        address = find_failing_text(template, _can_parse) if template.limits.finds_causes else None
        is_misshapen = isinstance(error, _MisshapenError)
        problem = f"the patch template {'gives' if is_misshapen else 'fails:'} {error}"
        if address is None or path_steps(address) != (_NODE,):  # ports are numbers
            return OperatorError(f"mesh {self.name}: {problem}")
        return UserError(f"{self._describe_address(address)}: mesh {self.name}: {problem}")

    def _describe_address(self, address: Address) -> str:
        """The place as the pod's author addresses it."""
        return (
            f"pod label {self.node_label}" if path_steps(address) == (_NODE,) else "the pod's ports"
        )


def _parse_additions(text: str) -> Object:
    rendered = yaml.load_document(text)
    problem = _shape_problem(rendered)
    if problem:
        raise _MisshapenError(problem)
    return rendered if isinstance(rendered, dict) else {}


def _can_parse(text: str) -> bool:
    try:
        _parse_additions(text)
    except _FAILURES:
        return False
    return True


def _shape_problem(rendered: JSON) -> str:
    """The problem with the shape of a rendered template; empty if it has none."""
    if not isinstance(rendered, dict):
        return "no mapping of lists"
    for key, value in rendered.items():
        if key not in LISTS:
            return f"{key}, where only {', '.join(LISTS)} are known"
        if not isinstance(value, list) or not all(isinstance(element, dict) for element in value):
            return f"no list of mappings at {pointer.escape(key)}"
    return ""
