"""What was said on the wire, without what differs from run to run."""

import json
import re
from pathlib import Path

from e2e.kube.apiserver import Answer

FOLDER = Path(__file__).parent / "recorded"
TOKEN = "<token>"

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_UID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def recording_path(scene: str) -> Path:
    """The file of one scene."""
    return FOLDER / f"{scene.replace(', ', '-').replace(' ', '-')}.json"


def normalize_answer(answer: Answer, token: str) -> Answer:
    """*answer* with a fixed token, time, port and uids."""
    text = json.dumps(answer).replace(token, TOKEN)
    text = _PORT.sub("127.0.0.1:<port>", _TIME.sub("<time>", text))
    for number, call in enumerate(answer.get("calls", [])):
        uid = call["request"]["request"]["uid"]
        text = text.replace(uid, f"00000000-0000-4000-8000-{number:012}")
    settled: Answer = json.loads(text)
    return settled


def write(scene: str, answer: Answer) -> None:
    """Keep what came of *scene*."""
    FOLDER.mkdir(exist_ok=True)
    recording_path(scene).write_text(
        json.dumps(answer, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def read_recording(scene: str) -> Answer:
    """What came of *scene* when it was recorded; nothing where it never was."""
    file = recording_path(scene)
    answer: Answer = json.loads(file.read_text()) if file.exists() else {}
    return answer
