"""The HTTP face: a Flask application that answers kube-apiserver's calls.

``create_app`` puts it over a store; ``settings`` reads the function's environment; ``InLoop`` is
what Mangum needs. Every POST is authenticated before its body is read, every fault is answered as
a Kubernetes ``Status`` by one table (faults.py), and every call leaves one line in the journal.
"""

from . import settings
from .app import create_app
from .asgi import InLoop
from .health import DEFAULT_INJECTOR
from .journal import Journal, trace
from .opening import journal_of, opened, traced
from .settings import Auth, Settings, SettingsError

__all__ = [
    "DEFAULT_INJECTOR",
    "Auth",
    "InLoop",
    "Journal",
    "Settings",
    "SettingsError",
    "create_app",
    "journal_of",
    "opened",
    "settings",
    "trace",
    "traced",
]
