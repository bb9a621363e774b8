"""Place, value, and remedy of each annotation that Istio rejects, from Istio's message.

The webhook denies a pod with the text of Istio, whose tests podgraft passes. In that text, the
location is missing, and the reason is one of Go. The commands that read files print this instead.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from podgraft.kube.patch import pointer

_CONFIG = "proxy.istio.io/config"
_FIRST_CONFIG = "istio.io/proxyConfig"
_CPU = "use a quantity, such as 100m"
_MEMORY = "use a quantity, such as 128Mi"
_BOOLEAN = 'use "true" or "false"'
_NUMBER = "use a whole number, such as 30"
_PORTS = "use ports from 0 to 65535, separated by commas, such as 8080,9090"
_RANGES = "use CIDR ranges, separated by commas, such as 10.0.0.0/8,192.168.0.0/16"
_INTERFACES = "use names of network interfaces, separated by commas, such as eth0"
_PROXY = "use fields of Istio's ProxyConfig, such as concurrency: 2"
REMEDIES: Final[Mapping[str, str]] = {
    "sidecar.istio.io/interceptionMode": "use REDIRECT, TPROXY, or NONE",
    "sidecar.istio.io/enableCoreDump": _BOOLEAN,
    "status.sidecar.istio.io/port": "use a port from 0 to 65535, such as 15020",
    "readiness.status.sidecar.istio.io/initialDelaySeconds": _NUMBER,
    "readiness.status.sidecar.istio.io/periodSeconds": _NUMBER,
    "readiness.status.sidecar.istio.io/failureThreshold": _NUMBER,
    "readiness.status.sidecar.istio.io/applicationPorts": _PORTS,
    "traffic.sidecar.istio.io/includeOutboundIPRanges": f'{_RANGES}, or "*"',
    "traffic.sidecar.istio.io/excludeOutboundIPRanges": _RANGES,
    "traffic.sidecar.istio.io/includeInboundPorts": f'{_PORTS}, or "*"',
    "traffic.sidecar.istio.io/excludeInboundPorts": _PORTS,
    "traffic.sidecar.istio.io/excludeOutboundPorts": _PORTS,
    "traffic.sidecar.istio.io/excludeInterfaces": _INTERFACES,
    "traffic.sidecar.istio.io/kubevirtInterfaces": _INTERFACES,
    "istio.io/reroute-virtual-interfaces": _INTERFACES,
    "prometheus.istio.io/merge-metrics": _BOOLEAN,
    _CONFIG: _PROXY,
    _FIRST_CONFIG: _PROXY,
    "sidecar.istio.io/proxyCPU": _CPU,
    "sidecar.istio.io/proxyCPULimit": _CPU,
    "sidecar.istio.io/proxyMemory": _MEMORY,
    "sidecar.istio.io/proxyMemoryLimit": _MEMORY,
}
# The text of Istio 1.9 and later, and that of earlier releases.
_VIOLATION = re.compile(
    r"invalid value '(?P<value>.*?)' for annotation '(?P<name>[^']+)': "
    r"(?P<reason>.*?)(?= \* invalid value '|\Z)",
    re.DOTALL,
)
_EARLY_VIOLATION = re.compile(
    r"Invalid value for annotation (?P<name>\S+): (?P<value>.*?)\. Error: "
    r"(?P<reason>.*?)(?= \* injection failed\. |\Z)",
    re.DOTALL,
)
_FAILED_TEMPLATE = re.compile(r'failed to run injection template "([^"]+)"')
_LEAD = "failed to convert to apply proxy config: "


def find_remedies(message: str) -> Iterator[str]:
    """Yield place, value, and remedy of each rejected annotation; nothing for other messages."""
    for pattern in (_VIOLATION, _EARLY_VIOLATION):
        for match in pattern.finditer(message):
            name, remedy = match["name"], REMEDIES.get(match["name"])
            if remedy is None:
                continue
            # Only a configuration has parts, and the reason names one of them.
            is_config = name in {_CONFIG, _FIRST_CONFIG}
            reason = f" ({match['reason'].removeprefix(_LEAD)})" if is_config else ""
            value = json.dumps(match["value"], ensure_ascii=False)
            yield f"/metadata/annotations/{pointer.escape(name)}: got {value}{reason}; {remedy}"


def describe_problem(message: str) -> str:
    """Return the remedies in one line; other messages are unchanged."""
    return "; ".join(find_remedies(message)) or message


def find_template_remedy(problem: str) -> str:
    """Return the remedy for a template that fails for pods, else an empty string.

    istiod's gateway controller renders such a template itself.
    """
    match = _FAILED_TEMPLATE.search(problem)
    if match is None:
        return ""
    from podgraft.core.trial.istio import CONTROLLER_TEMPLATES  # most runs do not need it

    if match[1] not in CONTROLLER_TEMPLATES:
        return ""
    return (
        f'istiod renders the template "{match[1]}" itself, for Gateways of the Gateway API; '
        "create a Gateway instead of a pod with the annotation inject.istio.io/templates"
    )
