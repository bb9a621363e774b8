"""Run by the Python of a layer, with nothing but the layer: the response to every recorded event.

    answers.py FOLDER    (of API Gateway events; the environment is the function's)

It also loads what a function with tracing and with the store in AWS loads. The last line is a JSON
object: the ``answers`` of the handler by the names of the events, and the ``opened`` files.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

opened: set[str] = set()


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    match event, arguments:
        case ("open", [str(path), *_]) | ("import", [_, str(path), *_]):
            opened.add(path)
        case _:
            pass


sys.addaudithook(_record)

handler: Any = import_module("handler")  # after the hook, as all that follows
boto3: Any = import_module("boto3")
for late in ("podgraft.service.http.tracing", "aws_xray_sdk.ext.botocore"):
    import_module(late)
for service in ("s3", "ssm", "sts", "xray"):
    boto3.client(service, region_name="eu-central-1")

answers: dict[str, Any] = {
    path.stem: handler.handler(json.loads(path.read_text()), None)
    for path in sorted(Path(sys.argv[1]).glob("*.json"))
}
sys.stdout.write(f"\n{json.dumps({'answers': answers, 'opened': sorted(opened)})}\n")
