"""The faults that ``podgraft doctor`` finds, and their causal order."""

from enum import StrEnum

from msgspec import Struct


class Fault(StrEnum):
    """The number of a fault; docs/explain.md lists them."""

    DNS = "D01"
    CONNECTION = "D02"
    OLD_TLS = "D03"
    HOST_NAME = "D04"
    EXPIRY = "D05"
    AUTHORITY = "D06"
    DAMAGED_TOKEN = "D07"  # noqa: S105 - a number
    EXPIRED_TOKEN = "D08"  # noqa: S105 - a number
    UNKNOWN_TOKEN = "D09"  # noqa: S105 - a number
    OTHER_CLUSTER = "D10"
    SOURCE = "D11"
    INJECTOR = "D12"
    OLD_POLICY = "D13"
    NOT_LOADED = "D14"
    THROTTLED = "D15"
    SLOW = "D16"
    REGIONS = "D17"
    DRIFT = "D18"
    ROTATION = "D19"
    NO_REGISTRATION = "D20"
    CHANGED = "D21"
    TWO_INJECTORS = "D22"
    NAMESPACES = "D23"
    NO_SIDECAR_CHECK = "D24"
    CONTROL_PLANE = "D25"


TITLES = {
    Fault.NO_REGISTRATION: "registration",
    Fault.CHANGED: "changed registration",
    Fault.DNS: "name resolution",
    Fault.CONNECTION: "connection",
    Fault.OLD_TLS: "old TLS",
    Fault.HOST_NAME: "host name of the certificate",
    Fault.EXPIRY: "expiry of certificates",
    Fault.AUTHORITY: "CA",
    Fault.DAMAGED_TOKEN: "damaged token",
    Fault.EXPIRED_TOKEN: "expired token",
    Fault.UNKNOWN_TOKEN: "unknown token",
    Fault.OTHER_CLUSTER: "token of another cluster",
    Fault.SOURCE: "source address",
    Fault.INJECTOR: "injector",
    Fault.NOT_LOADED: "bundle and policy",
    Fault.THROTTLED: "throttling",
    Fault.OLD_POLICY: "older policy in force",
    Fault.SLOW: "response time",
    Fault.NAMESPACES: "selected namespaces",
    Fault.CONTROL_PLANE: "call by kube-apiserver",
    Fault.TWO_INJECTORS: "two injectors",
    Fault.NO_SIDECAR_CHECK: "sidecar check",
    Fault.REGIONS: "regions",
    Fault.DRIFT: "fleet file",
    Fault.ROTATION: "rotation of tokens",
}
# A fault can only follow from one before it.
ORDER = tuple(TITLES)
# The links between kube-apiserver and the policy: a broken one hides those after it.
CHAIN = ORDER[ORDER.index(Fault.DNS) : ORDER.index(Fault.SLOW) + 1]


class Finding(Struct, frozen=True):
    """A fault at a place, and its remedy. With *breaks*, reviews fail because of it."""

    fault: Fault
    place: str
    problem: str
    remedy: str
    breaks: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}; {self.remedy}"
