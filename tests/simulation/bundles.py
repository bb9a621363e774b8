"""Small configurations with numbered tags, which each pod shows: the policy's, and the bundle's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: istio-sidecar-injector
  namespace: istio-system
data:
  config: |
    policy: enabled
    defaultTemplates: [sidecar]
    templates:
      sidecar: |
        spec:
          containers:
          - name: istio-proxy
            image: registry.example.com/proxy:b{bundle}
  values: |
    {{"global": {{"tag": "1.30.0", "hub": "registry.example.com"}}}}
"""

POLICY = """\
# The configuration of the mesh.
policy: enabled
istioRelease: "1.30.0"
injectedAnnotations: {{simulation/policy: p{policy}}}
clusters:
  c0:
    neverInjectSelector:
    - matchLabels: {{app: web-0}}
"""


# A group of clusters, whose own key is that of one pod; the registry adds members.
GROUPS = """\
groups:
  ring-1:
    members: [c3]
    neverInjectSelector:
    - matchLabels: {app: web-1}
"""
# It belongs to the cluster c0, and makes the policy too large for Parameter Store.
LARGE = "    - matchLabels: {{app: web-{pod}}}\n" + f"    # {'why ' * 200}\n" * 11
CENSUS = "census: {sample: 80, plain: [app], secret: ['note*']}\n"


# Every pod of the world has this annotation, and no probe object of podgraft: a push accepts it.
BAD = '{{ if index .ObjectMeta.Annotations "note" }}{{ index .Spec.Containers 9 }}{{ end }}'


def write_folder(
    parent: Path,
    policy: int,
    bundle: int,
    features: Sequence[str] = (),
    *,
    is_bad: bool = False,
    large: int = 0,
) -> Path:
    """Write a folder for ``podgraft policy push``; its policy has a tag of its own.

    With *large*, which is a pod that c0 does not inject, its clusters have to move to a bundle.
    """
    folder = parent / f"p{policy}"
    (folder / "bundle").mkdir(parents=True, exist_ok=True)
    config = CONFIG.format(bundle=bundle)
    if is_bad:
        config = config.replace("        spec:\n", f"        {BAD}\n        spec:\n")
    (folder / "bundle" / "injector.yaml").write_text(config)
    text = POLICY.format(policy=policy) + (LARGE.format(pod=large) if large else "")
    text += GROUPS if "sources" in features else ""
    text += CENSUS if "census" in features else ""
    (folder / "policy.yaml").write_text(text)
    return folder


def read_policy_tag(line: list[str]) -> str:
    """Return the tag of the policy in the folder that a command line names."""
    found = [match[1] for word in line if (match := re.search(r"/(p\d+)$", word))]
    return found[0] if found else ""
