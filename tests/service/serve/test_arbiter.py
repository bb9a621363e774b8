"""A worker that is stopped while it boots stops."""

import subprocess
import sys
from pathlib import Path

from support.pki import write_pair

PROGRAM = Path(__file__).with_name("signalled_server.py")


def test_a_signal_during_the_boot_of_a_worker_stops_it(tmp_path: Path) -> None:
    certificate, key = write_pair(tmp_path)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(certificate), str(key)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    # Another worker can start before the arbiter stops; none of them serves.
    assert set(done.stdout.splitlines()[1:]) == {"stops"}, done.stdout + done.stderr
