"""The injection rules: the rules of the configuration, with the policy document applied."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from podgraft.kube import selectors

# The namespaces that Istio never injects (pkg/kube/inject/inject.go, IgnoredNamespaces).
IGNORED_NAMESPACES = frozenset(
    {"kube-system", "kube-public", "kube-node-lease", "local-path-storage"}
)

INJECT_KEY = "sidecar.istio.io/inject"


class InjectValueSyntax(StrEnum):
    """The syntax of the value of the inject label or annotation."""

    YAML = "yaml"
    STRICT = "strict"


class DefaultPolicy(StrEnum):
    """The decision for a pod that no other step decides."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class InjectionRules(Struct, frozen=True, kw_only=True):
    """The input of ``decide`` except the pod.

    ``policy`` is any string: as in Istio, a value that is not a ``DefaultPolicy`` injects nothing.
    ``honors_label`` is false for releases before 1.12, which read only the annotation.
    """

    policy: str = DefaultPolicy.ENABLED
    never: tuple[selectors.Selector, ...] = ()
    always: tuple[selectors.Selector, ...] = ()
    ignored_namespaces: frozenset[str] = IGNORED_NAMESPACES
    inject_values: InjectValueSyntax = InjectValueSyntax.YAML
    honors_label: bool = True


class InjectSetting(Struct, frozen=True):
    """The inject label or annotation of a pod: its source and its value."""

    source: str
    text: str

    def __str__(self) -> str:
        return f"{self.source} {INJECT_KEY}: {self.text!r}"


def find_inject_setting(
    rules: InjectionRules, labels: Mapping[str, str], annotations: Mapping[str, str]
) -> InjectSetting | None:
    """Find the effective setting: the label, even if it is empty, or else the annotation.

    ======  ==========  =======
    label   annotation  counts
    ======  ==========  =======
    any     any         label
    absent  any         annotation
    ======  ==========  =======
    """
    if rules.honors_label and INJECT_KEY in labels:
        return InjectSetting("label", labels[INJECT_KEY])
    if INJECT_KEY in annotations:
        return InjectSetting("annotation", annotations[INJECT_KEY])
    return None


_YES = frozenset({"y", "yes", "true", "on"})


def parse_inject_value(values: InjectValueSyntax, text: str) -> bool | None:
    """Parse the value of the setting; ``None`` means that selectors and policy decide.

    ==========================  =====  ======
    text                        yaml   strict
    ==========================  =====  ======
    ``true``                    yes    yes
    ``false``                   no     no
    empty                       –      –
    y, yes, true, on, any case  yes    –
    any other                   no     –
    ==========================  =====  ======
    """
    if not text:
        return None
    if values is InjectValueSyntax.YAML:
        return text.lower() in _YES
    return {"true": True, "false": False}.get(text)
