#!/usr/bin/env python3
"""One table: cold start and warm requests, each against a baseline measured in the same run."""

import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmark import artefact, aws, cold, table, warm
from benchmark.world import ROOT, body, event, world


@click.command()
@click.option("--starts", default=10, show_default=True, help="Cold starts of each kind.")
@click.option("--requests", default=500, show_default=True, help="Warm requests of each kind.")
def main(starts: int, requests: int) -> None:
    """Measure, print the table, and write it to build/bench.json."""
    measured = world()
    with TemporaryDirectory(prefix="podgraft-bench-") as name:
        folder = Path(name)
        store = measured.keep(folder / "store")
        built = artefact.build(folder / "artefact")
        stores = {"file store": {"PODGRAFT_STORE": f"file:{store}"}}
        with aws.store(measured, folder / "aws") as cloud:
            if cloud is None:
                print(aws.MISSING)
            else:
                stores["AWS store"] = {**cloud}
            rows = cold.rows(built, stores, event(body(measured.pod)), starts)
        with warm.handler(store) as handle:
            rows += warm.rows(handle, measured, requests)
    print(table.text(rows))
    machine = {"python": sys.version, "machine": platform.machine(), "templates": measured.source}
    table.write(ROOT / "build" / "bench.json", rows, machine)


if __name__ == "__main__":
    main()
