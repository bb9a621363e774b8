"""What decides about a pod: the configuration's own rules, and the policy document over them."""

from collections.abc import Mapping
from enum import StrEnum

from podgraft.kube import selectors
from podgraft.lazy_dataclass import dataclass

# What Istio never touches (pkg/kube/inject/inject.go, IgnoredNamespaces; four since 1.9).
IGNORED_NAMESPACES = frozenset(
    {"kube-system", "kube-public", "kube-node-lease", "local-path-storage"}
)

INJECT_KEY = "sidecar.istio.io/inject"


class InjectValueSyntax(StrEnum):
    """How the text of an inject mark is read."""

    YAML = "yaml"
    STRICT = "strict"


class DefaultPolicy(StrEnum):
    """What becomes of a pod that nothing else decides."""

    ENABLED = "enabled"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRules:
    """Everything ``decide`` goes by.

    ``policy`` is any text: one that is no ``PolicyWord`` injects nothing, as in Istio.
    ``honors_label`` is off for releases before 1.12, which look at the annotation only.
    """

    policy: str = DefaultPolicy.ENABLED
    never: tuple[selectors.Selector, ...] = ()
    always: tuple[selectors.Selector, ...] = ()
    ignored_namespaces: frozenset[str] = IGNORED_NAMESPACES
    inject_values: InjectValueSyntax = InjectValueSyntax.YAML
    honors_label: bool = True


@dataclass(frozen=True, slots=True)
class InjectSetting:
    """The inject mark of one pod: where it stands and what it says."""

    source: str
    text: str

    def __str__(self) -> str:
        return f"{self.source} {INJECT_KEY}: {self.text!r}"


def find_inject_setting(
    rules: InjectionRules, labels: Mapping[str, str], annotations: Mapping[str, str]
) -> InjectSetting | None:
    """The mark that counts: the label where there is one, even an empty one, else the annotation.

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
    """What a mark's text says; ``None`` leaves it to the selectors and the policy.

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
