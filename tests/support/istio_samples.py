"""Changes of the sample of Istio for tests."""

from typing import Any

from podgraft.kube import yaml


def add_gateway_template(injector: Any) -> None:
    """Add a template ``gateway`` to the ConfigMap, as Istio's own has one."""
    config: Any = yaml.load(injector["data"]["config"])
    config["templates"]["gateway"] = "spec: {containers: [{name: istio-proxy, image: proxy:1}]}\n"
    injector["data"]["config"] = yaml.dump(config)
