"""Run by the very Python of a layer, with nothing but the layer: a review, and all that loads late.

    probe.py EVENT    (a file with an API Gateway event; the environment is the function's)

Prints what came of it.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import botocore.session

import handler

for late in (
    "podgraft.service.http.tracing",
    "aws_xray_sdk.ext.botocore",
):  # what Tracing=Active loads
    import_module(late)
for service in ("s3", "ssm"):  # with the models of the layer
    botocore.session.get_session().create_client(service, region_name="eu-central-1")

answer = handler.handler(json.loads(Path(sys.argv[1]).read_text()), None)
said = {
    "status": answer["statusCode"],
    "patched": "patch" in json.loads(answer["body"]).get("response", {}),
}
sys.stdout.write(f"\n{json.dumps(said)}\n")
