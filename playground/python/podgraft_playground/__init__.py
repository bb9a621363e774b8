"""The operations of the playground, on podgraft's own modules.

The worker of the page calls ``api.handle``. The package runs in CPython too, which the tests use.
"""
