"""The HTTP face: a Flask application that answers kube-apiserver's calls.

``create_app`` puts it over a store; ``InLoop`` is what Mangum needs. Every POST is authenticated
before its body is read, every fault is answered as a Kubernetes ``Status`` by one table
(faults.py), and every call leaves one line in the journal.
"""

from podgraft.settings import Auth

from .app import create_app
from .asgi import InLoop
from .events import guarded
from .journal import Journal, trace
from .on_lambda import journal_of, rehearse, traced

__all__ = [
    "Auth",
    "InLoop",
    "Journal",
    "create_app",
    "guarded",
    "journal_of",
    "rehearse",
    "trace",
    "traced",
]
