"""The faults that ``podgraft doctor`` finds, and their causal order."""

from enum import StrEnum
from typing import Self

from msgspec import Struct

# The remedy of a cluster without a registration.
REGISTER = "podgraft register … | kubectl apply --server-side -f -"


class Fault(StrEnum):
    """The number and the subject of a fault: it can only follow from one before it.

    docs/explain.md lists the numbers.
    """

    subject: str

    def __new__(cls, number: str, subject: str) -> Self:
        """Make a fault that is its number."""
        fault = str.__new__(cls, number)
        fault._value_, fault.subject = number, subject
        return fault

    NO_REGISTRATION = "D20", "registration"
    CHANGED = "D21", "changed registration"
    DNS = "D01", "name resolution"
    CONNECTION = "D02", "connection"
    OLD_TLS = "D03", "old TLS"
    HOST_NAME = "D04", "host name of the certificate"
    EXPIRY = "D05", "expiry of certificates"
    AUTHORITY = "D06", "CA"
    DAMAGED_TOKEN = "D07", "damaged token"
    EXPIRED_TOKEN = "D08", "expired token"
    UNKNOWN_TOKEN = "D09", "unknown token"
    OTHER_CLUSTER = "D10", "token of another cluster"
    SOURCE = "D11", "source address"
    INJECTOR = "D12", "injector"
    NOT_LOADED = "D14", "bundle and policy"
    THROTTLED = "D15", "throttling"
    OLD_POLICY = "D13", "older policy in force"
    SLOW = "D16", "response time"
    NAMESPACES = "D23", "selected namespaces"
    CONTROL_PLANE = "D25", "call by kube-apiserver"
    TWO_INJECTORS = "D22", "two injectors"
    NO_SIDECAR_CHECK = "D24", "sidecar check"
    REGIONS = "D17", "regions"
    DRIFT = "D18", "fleet file"
    ROTATION = "D19", "rotation of tokens"


ORDER = tuple(Fault)
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
