"""The endpoint and the clusters of the tests of ``podgraft doctor``."""

from cli.doctor.conftest import operator, port, site

__all__ = ["operator", "port", "site"]
