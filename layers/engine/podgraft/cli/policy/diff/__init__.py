"""What a change of a policy and its bundle does to objects of a cluster.

``versions`` loads the configuration before and after the change, ``objects`` the objects, and
``review`` runs the reviews of both. ``comparison`` groups the objects by identical change, which
``fields`` finds. ``text`` and ``formats`` write the result.
"""

from .comparison import Comparison, compare
from .formats import OutputFormat, format_comparison
from .objects import SampleOptions, load_objects, sample_options
from .versions import NO_POLICY, Version

__all__ = [
    "NO_POLICY",
    "Comparison",
    "OutputFormat",
    "SampleOptions",
    "Version",
    "compare",
    "format_comparison",
    "load_objects",
    "sample_options",
]
