"""Work before SnapStart takes its snapshot of an initialized environment.

Lambda restores environments from it until the version is deleted, which can be months.
"""

from collections.abc import Callable


def run_before_snapshot(function: Callable[[], None]) -> None:
    """Let the runtime call *function* after the init; without SnapStart, nothing calls it.

    The managed runtimes from Python 3.12 on contain the package of the hooks. Other environments
    have no SnapStart.
    """
    try:
        from snapshot_restore_py import register_before_snapshot  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        return
    register_before_snapshot(function)
