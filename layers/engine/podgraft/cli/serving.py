"""What ``podgraft serve`` checks before it listens: every injector of the store loads and renders.

An injector with errors must not stop the others, so they are served all the same.
"""

from podgraft.store import Store, StoreError

from .failure import CommandError, print_warnings


def check_store(store: Store) -> None:
    """Load every injector, and report those that do not load or that are stale.

    Raises ``CommandError`` if there are injectors, and none of them loads.
    """
    names = store.injectors()
    errors: list[str] = []
    warnings: list[str] = []
    for name in names:
        try:
            snapshot = store.snapshot(name, None)
        except StoreError as error:
            errors.append(str(error))
        else:
            if snapshot.stale is not None:
                warnings.append(
                    f"injector {name}: an earlier version is in force: {snapshot.stale.why}"
                )
    if errors and len(errors) == len(names):
        raise CommandError(*errors, warnings=warnings)
    print_warnings(warnings)
    if errors:
        CommandError(*errors).show()
