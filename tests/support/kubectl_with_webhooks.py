"""A kubectl with an API server in one file: it stores webhooks, and creates pods through them.

``kubectl run`` matches the pod with the selectors, sends the review to the URL of the webhook as
kube-apiserver does, applies the JSON Patch, and prints the names of init containers. With
``failurePolicy: Fail``, an unreachable endpoint rejects the pod.
"""

from pathlib import Path
from typing import Final

PROGRAM: Final = """\
import base64, json, pathlib, ssl, sys, urllib.error, urllib.request
import jsonpatch, yaml

STATE = pathlib.Path({state!r})
CA = {ca!r}
words = sys.argv[1:]
options = [word for word in words if word.startswith("-")]
names = [word for word in words if not word.startswith("-")]


def read_webhooks():
    return yaml.safe_load(STATE.read_text()) if STATE.exists() else []


def selects(selector, labels):
    for key, value in selector.get("matchLabels", {{}}).items():
        if labels.get(key) != value:
            return False
    for each in selector.get("matchExpressions", []):
        key, values = each["key"], each.get("values", [])
        accepted = {{
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }}
        if not accepted[each["operator"]]:
            return False
    return True


def review(webhook, pod):
    body = {{
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {{
            "uid": "1",
            "operation": "CREATE",
            "namespace": "default",
            "kind": {{"group": "", "version": "v1", "kind": "Pod"}},
            "resource": {{"group": "", "version": "v1", "resource": "pods"}},
            "object": pod,
        }},
    }}
    config = webhook["clientConfig"]
    context = ssl.create_default_context(cafile=CA)
    if "caBundle" in config:
        text = base64.b64decode(config["caBundle"]).decode()
        context = ssl.create_default_context(cadata=text)
    request = urllib.request.Request(
        config["url"] + "?timeout=10s",
        json.dumps(body).encode(),
        {{"Content-Type": "application/json"}},
    )
    with urllib.request.urlopen(request, context=context, timeout=10) as response:
        return json.load(response)["response"]


def run(name, labels):
    pod = {{
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {{"name": name, "namespace": "default", "labels": labels}},
        "spec": {{"containers": [{{"name": name, "image": "nginx"}}]}},
    }}
    namespace = {{"kubernetes.io/metadata.name": "default"}}
    for configuration in read_webhooks():
        for webhook in configuration["webhooks"]:
            objects = webhook.get("objectSelector", {{}})
            namespaces = webhook.get("namespaceSelector", {{}})
            if selects(objects, labels) and selects(namespaces, namespace):
                try:
                    response = review(webhook, pod)
                except urllib.error.URLError as error:
                    sys.exit(f"Error from server: failed calling webhook: {{error}}")
                if not response["allowed"]:
                    sys.exit(response["status"]["message"])
                if "patch" in response:
                    patch = json.loads(base64.b64decode(response["patch"]))
                    pod = jsonpatch.apply_patch(pod, patch)
    return pod


if words[0] == "apply":
    source = sys.stdin.read() if words[-1] == "-" else pathlib.Path(words[-1]).read_text()
    documents = [each for each in yaml.safe_load_all(source) if each]
    if not documents:
        sys.exit("error: no objects passed to apply")
    STATE.write_text(yaml.safe_dump(read_webhooks() + documents))
elif words[0] == "run":
    labels = dict(
        pair.split("=")
        for option in options
        if option.startswith("--labels=")
        for pair in option.removeprefix("--labels=").split(",")
    )
    pod = run(names[1], labels)
    print(" ".join(each["name"] for each in pod["spec"].get("initContainers", [])))
elif words[:2] == ["delete", "mutatingwebhookconfiguration"]:
    kept = [each for each in read_webhooks() if each["metadata"]["name"] != words[2]]
    assert len(kept) < len(read_webhooks()), words[2]
    STATE.write_text(yaml.safe_dump(kept))
"""


def render_program(state: Path, ca: Path) -> str:
    """The text of the program; *ca* replaces the public roots of a control plane."""
    return PROGRAM.format(state=str(state), ca=str(ca))
