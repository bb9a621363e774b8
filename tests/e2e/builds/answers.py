"""Run by the Python of a layer, with nothing but the layer: the response to every recorded event.

    answers.py FOLDER    (of API Gateway events; the environment is the function's)

The last line is a JSON object from the name of each event to the response of the handler.
"""

import json
import sys
from pathlib import Path
from typing import Any

import handler

answers: dict[str, Any] = {
    path.stem: handler.handler(json.loads(path.read_text()), None)
    for path in sorted(Path(sys.argv[1]).glob("*.json"))
}
sys.stdout.write(f"\n{json.dumps(answers)}\n")
