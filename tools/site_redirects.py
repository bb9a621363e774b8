"""MkDocs hook: pages that moved redirect to their new address, with the anchor of the old link."""

import json
import posixpath
from pathlib import Path
from typing import Any, Final

# Old pages, by their new page; an anchor follows #.
PAGES: Final = {
    "accounts": "fleet",
    "bundles": "concepts#bundle",
    "cel": "overlays#rules",
    "census": "preview",
    "changing-policies": "policies",
    "deploying": "aws",
    "environment": "parameters#variables",
    "gitops": "clusters#gitops",
    "glossary": "concepts#terms",
    "injection-by-hand": "kube-inject",
    "installing": "commands#install",
    "live-clusters": "explain",
    "logs": "monitoring",
    "migrating-from-istio": "from-istio",
    "overlay": "schemas/overlay",
    "pages": "",
    "playground": "explain#in-the-browser",
    "policy": "schemas/policy",
    "registration": "clusters",
    "rollout": "rollouts",
    "rollout-concepts": "rollouts#which-workloads-get-it",
    "rules": "overlays",
    "running-in-a-cluster": "in-cluster",
    "several-sidecars": "overlays#several-sidecars",
    "signing": "privileges#signatures",
    "test": "schemas/test",
    "testing-policies": "testing",
    "tutorial": "start",
    "urls": "parameters#urls",
}
# Old headings whose content is elsewhere than the rest of the page, or has another name.
ANCHORS: Final = {
    "accounts": {
        "permissions-of-a-deployer": "fleet#permissions-of-a-deployer",
        "recovery": "fleet#recovery",
    },
    "census": {
        "cost-of-10000-workloads": "preview#cost-of-10000-workloads",
        "record-workloads-in-a-cluster": "preview#record-workloads-in-a-cluster",
    },
    "changing-policies": {"push": "policies#push", "clean-up": "policies#clean-up"},
    "deploying": {
        "2-push-a-policy-and-its-bundle": "policies#push",
        "4-register-the-webhook": "clusters",
        "costs": "aws#costs",
        "cost-of-metrics-by-cluster": "aws#cost-of-a-fleet",
        "failure-policy": "clusters#failure-policy",
        "monitoring": "monitoring#alarms-and-dashboards",
        "private-endpoints": "aws#private-endpoints",
        "stages": "aws#stages",
        "the-last-known-good-version": "concepts#what-happens-on-a-failure",
        "what-check-verifies": "policies#what-check-finds",
    },
    "injection-by-hand": {
        "explain": "explain",
        "what-uninject-cannot-restore": "kube-inject#remove-a-sidecar",
    },
    "installing": {
        "build-an-image-of-podgraft-serve": "in-cluster",
        "deploy-to-aws-with-sam": "aws",
        "deploy-to-aws-with-terraform": "aws#terraform",
    },
    "live-clusters": {
        "grant-access": "explain#access",
        "import-the-configuration-of-istio": "from-istio#1-import",
        "inject-with-the-configuration-of-the-cluster": "kube-inject#the-configuration",
    },
    "logs": {
        "candidates": "monitoring#candidates",
        "metrics": "monitoring#metrics-on-cloudwatch",
        "prometheus-metrics-of-podgraft-serve": "monitoring#prometheus",
    },
    "migrating-from-istio": {
        "all-namespaces-by-default": "from-istio#all-namespaces-by-default",
        "differences-from-istiod": "from-istio#differences",
    },
    "registration": {
        "connections": "in-cluster#limits-of-connections",
        "choose-the-failure-policy": "clusters#failure-policy",
        "credentials-of-a-cluster": "platforms#what-a-credential-protects",
        "error-messages-in-kubectl": "clusters#what-kubectl-prints",
        "revisions": "clusters#revisions",
        "rotate-a-token": "clusters#rotate-and-revoke",
        "serving-without-aws": "in-cluster#the-store-folder",
        "static-registration": "platforms#static-registration",
        "the-calling-cluster-and-istios-cluster-id": "concepts#two-kinds-of-cluster-id",
    },
    "rollout": {
        "deployments-of-the-function": "rollouts#roll-out-a-new-version-of-the-function",
    },
    "rules": {"validatingadmissionpolicy": "overlays#rules"},
    "running-in-a-cluster": {
        "certificates-of-cert-manager": "in-cluster#cert-manager",
        "register-the-service": "in-cluster#register-the-service",
    },
    # Pages that remain, with headings that moved.
    "clusters": {
        "platforms": "platforms#eks",
        "static-registration": "platforms#static-registration",
    },
    "certificates": {
        "issue-client-certificates-for-clusters": "certificates#client-certificates",
    },
    "security": {
        "restrict-the-endpoint-with-waf": "aws#protect-the-endpoint-with-waf",
        "the-cost-of-unauthenticated-requests": "aws#unauthenticated-requests",
        "the-watch": "security#the-other-functions",
        "the-guard": "security#the-other-functions",
        "the-probe": "security#the-other-functions",
        "the-cleanup": "security#the-other-functions",
    },
}


def on_post_build(config: Any) -> None:
    """Write a page for each old address."""
    for name, target in PAGES.items():
        folder = Path(config["site_dir"]) / name
        folder.mkdir(parents=True, exist_ok=True)
        text = render_redirect(name, target, config["site_url"] or "/")
        (folder / "index.html").write_text(text, encoding="utf-8")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Send old anchors of a page that remains to their new place."""
    del config, files
    name = page.file.src_uri.removesuffix(".md")
    if name not in ANCHORS or name in PAGES:
        return html
    return f"{html}\n<script>{_render_script(ANCHORS[name])}</script>\n"


def render_redirect(name: str, target: str, site: str) -> str:
    """The page at an old address: it works without a script, except for moved headings."""
    address = _make_address(target)
    script = _render_script(ANCHORS.get(name, {}), address)
    canonical = posixpath.join(site, address.removeprefix("../"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>This page moved</title>\n"
        f'<link rel="canonical" href="{canonical}">\n'
        f"<script>{script}</script>\n"
        f'<meta http-equiv="refresh" content="0; url={address}">\n</head>\n'
        f'<body><p>This page moved: <a href="{address}">{address}</a></p></body>\n</html>\n'
    )


def _render_script(anchors: dict[str, str], default: str = "") -> str:
    moved = json.dumps({old: _make_address(new) for old, new in anchors.items()})
    other = f" || {json.dumps(default)}" if default else ""
    return (
        f"const target = {moved}[location.hash.slice(1)]{other};"
        " if (target) location.replace(target);"
    )


def _make_address(target: str) -> str:
    """The relative address from a page of the first level."""
    page, _, anchor = target.partition("#")
    return f"../{page}/" * bool(page) + "../" * (not page) + (f"#{anchor}" if anchor else "")
