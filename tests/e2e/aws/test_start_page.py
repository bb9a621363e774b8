"""Every command of docs/start.md about AWS: SAM deploys what ``podgraft init`` wrote.

The AWS is on this machine. ``kubectl`` has an API server that calls webhooks as kube-apiserver
does; tests/e2e/live/test_pages.py runs the same commands with a real one.
"""

from pathlib import Path

from docs.limits import DOCS
from e2e.aws.cloud import Tools, ministack
from e2e.aws.page_cloud import render_sam, serve_stacks
from support.kubectl_with_webhooks import render_program
from support.page_run import PageRun
from support.programs import PYTHON

PAGE = (DOCS / "start.md").read_text()


def test_the_commands_put_a_sidecar_on_a_pod(tools: Tools, tmp_path: Path) -> None:
    """In an account without a stack, and at the end the stack is deleted."""
    (tmp_path / "aws").mkdir()
    program = tmp_path / "kubectl.py"
    with ministack(tools, tmp_path / "aws") as cloud, serve_stacks(cloud) as endpoint:
        program.write_text(render_program(tmp_path / "webhooks.yaml", cloud.authority))
        stubs = {
            "sam": render_sam(cloud, endpoint),
            "kubectl": f'exec {PYTHON} {program} "$@"',
        }
        run = PageRun(tmp_path, stubs, cloud.authority, cloud.environment)
        before, _, rest = PAGE.partition("## On this machine")
        run.run(f"{before}\n## Undo\n{rest.partition('## Undo')[2]}")
        stacks = cloud.client("cloudformation").list_stacks()["StackSummaries"]
    [created] = [text for line, text in run.outputs.items() if line.startswith("kubectl run")]
    assert created == "hello\n"
    states = [each["StackStatus"] for each in stacks if each["StackName"] == "podgraft-dev"]
    assert states == ["DELETE_COMPLETE"]
