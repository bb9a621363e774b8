"""Istio's injector, every release from its tables of behaviours (releases.py).

``compile_`` turns the texts of the ConfigMaps into an ``Injector`` once; ``Injector.inject`` then
turns a pod into the injected pod. ``environment`` reads the URL path's variables.
"""

from .documents import Documents, Surroundings
from .request import Injection, Mode, Request, Workload

__all__ = ["Documents", "Injection", "Mode", "Request", "Surroundings", "Workload"]
