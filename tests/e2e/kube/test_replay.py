"""What kube-apiserver said when the scenes were recorded, said again to the app."""

import base64
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonpatch import JsonPatch

from e2e.kube import recordings
from e2e.kube.cluster import STORE
from e2e.kube.scenarios import CLUSTER, SCENES, ClusterScenario, PresentedCredentials
from podgraft.base.jsonvalue import JSON
from podgraft.kube import yaml
from podgraft.service.http import Auth, create_app
from podgraft.service.store import caller_document
from podgraft.service.store.folder import FolderCallers, FolderStore

ROOT = Path(__file__).parents[3]
TOKEN = "t0k3n"
SUBJECT = ((("organizationName", "podgraft-clusters"),), (("commonName", CLUSTER),))

CALLS = [
    pytest.param(scene, call, id=f"{scene.name}-{number}")
    for scene in SCENES
    for number, call in enumerate(recordings.read_recording(scene.name).get("calls", []))
    if "code" in call
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the scenes, with a cluster that may call."""
    folder = tmp_path_factory.mktemp("replay") / "store"
    shutil.copytree(STORE, folder)
    (folder / "auth").mkdir()
    known: JSON = {
        "tokens": [
            {"sha256": caller_document.hash_token(TOKEN), "created": "2026-11-21T00:00:00Z"}
        ],
        "subjects": [f"CN={CLUSTER},O=podgraft-clusters"],
    }
    (folder / "auth" / f"{CLUSTER}.yaml").write_text(yaml.dump(known))
    return folder


class _Connection:
    """What gunicorn knows of a client that has shown the cluster's certificate."""

    def getpeercert(self) -> Mapping[str, object]:
        return {"subject": SUBJECT}


@pytest.mark.parametrize(("scene", "call"), CALLS)
def test_the_app_responds_as_recorded(
    scene: ClusterScenario, call: Mapping[str, Any], store: Path
) -> None:
    certified = scene.credentials is PresentedCredentials.CERTIFICATE
    auth = Auth.MTLS if certified else Auth.TOKEN
    app = create_app(FolderStore(store), FolderCallers(store), auth=auth)
    url = urlsplit(str(call["url"]).replace(recordings.TOKEN, TOKEN))
    headers = {name: values[0] for name, values in call["headers"].items()}
    if "Authorization" in headers:
        headers["Authorization"] = headers["Authorization"].replace(recordings.TOKEN, TOKEN)
    answer = app.test_client().post(
        url.path,
        query_string=url.query,
        json=call["request"],
        headers=headers,
        environ_overrides={"gunicorn.socket": _Connection()} if certified else {},
    )
    assert answer.status_code == call["code"]
    assert _outcome(call["request"], answer.json) == _outcome(call["request"], call["response"])


def _outcome(review: Mapping[str, Any], answer: Any) -> Any:
    """What an answer makes of a review: the object, or the words of a refusal or a fault."""
    if answer["kind"] == "Status":
        return answer
    said = answer["response"]
    patch = base64.b64decode(said.get("patch", "")) or b"[]"
    patched = JsonPatch.from_string(patch.decode()).apply(review["request"]["object"])
    return answer["apiVersion"], said["uid"], said["allowed"], said.get("status"), patched


def test_the_page_about_registration_quotes_what_was_recorded() -> None:
    page = (ROOT / "docs" / "clusters.md").read_text()
    table = page.split("## What kubectl prints")[1]
    told = [recordings.read_recording(scene.name).get("kubectl", "") for scene in SCENES]
    quotes = re.findall(r"^\| `(.*?)`", table, re.MULTILINE)
    assert len(quotes) > 5
    for quote in quotes:
        fragments = [re.escape(fragment.strip()) for fragment in quote.split("…")]
        assert any(re.search(".*".join(fragments), text) for text in told), quote


def test_nothing_secret_is_recorded() -> None:
    """Tokens were replaced; every scene has its recording, and every recording its scene."""
    files = {path.name: path.read_text() for path in recordings.FOLDER.iterdir()}
    assert set(files) == {recordings.recording_path(scene.name).name for scene in SCENES}
    assert not [name for name, text in files.items() if "/k/" in text and "/k/<token>/" not in text]
