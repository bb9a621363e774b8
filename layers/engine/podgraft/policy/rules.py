"""What decides about a pod: the configuration's own rules, and the policy document over them."""

from collections.abc import Mapping
from enum import StrEnum

from podgraft.kube import selectors
from podgraft.records import dataclass

# What Istio never touches (pkg/kube/inject/inject.go, IgnoredNamespaces; four since 1.9).
IGNORED_NAMESPACES = frozenset(
    {"kube-system", "kube-public", "kube-node-lease", "local-path-storage"}
)

INJECT_MARK = "sidecar.istio.io/inject"


class InjectValues(StrEnum):
    """How the text of an inject mark is read."""

    YAML = "yaml"
    STRICT = "strict"


class PolicyWord(StrEnum):
    """What becomes of a pod that nothing else decides."""

    ENABLED = "enabled"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything ``decide`` goes by.

    ``policy`` is any text: one that is no ``PolicyWord`` injects nothing, as in Istio.
    ``label_mark`` is off for releases before 1.12, which look at the annotation only.
    """

    policy: str = PolicyWord.ENABLED
    never: tuple[selectors.Selector, ...] = ()
    always: tuple[selectors.Selector, ...] = ()
    ignored_namespaces: frozenset[str] = IGNORED_NAMESPACES
    inject_values: InjectValues = InjectValues.YAML
    label_mark: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """The inject mark of one pod: where it stands and what it says."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place} {INJECT_MARK}: {self.text!r}"


def mark(rules: Rules, labels: Mapping[str, str], annotations: Mapping[str, str]) -> Mark | None:
    """The mark that counts: the label where there is one, even an empty one, else the annotation.

    ======  ==========  =======
    label   annotation  counts
    ======  ==========  =======
    any     any         label
    absent  any         annotation
    ======  ==========  =======
    """
    if rules.label_mark and INJECT_MARK in labels:
        return Mark("label", labels[INJECT_MARK])
    if INJECT_MARK in annotations:
        return Mark("annotation", annotations[INJECT_MARK])
    return None


_YES = frozenset({"y", "yes", "true", "on"})


def means_inject(values: InjectValues, text: str) -> bool | None:
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
    if values is InjectValues.YAML:
        return text.lower() in _YES
    return {"true": True, "false": False}.get(text)
