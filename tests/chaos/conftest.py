"""The account of tests/store, and the folder of an unprivileged user."""

from service.store.conftest import faulty, own_folder

__all__ = ["faulty", "own_folder"]
