"""The functions of expressions: CEL's standard functions and Kubernetes' libraries.

They are those of kube-apiserver 1.37 (k8s.io/apiserver pkg/cel/environment/base.go), except
``authorizer``. Each module contains a table of ``Overload`` rows for one subject.
"""

from podgraft.kube.cel.overloads import function, table
from podgraft.kube.cel.values import Value

from .conversions import CONVERSIONS
from .conversions import STRINGS as STRING_CONVERSIONS
from .lists import COMPREHENSIONS, EXTENDED_LISTS, LISTS, SETS
from .named_formats import NAMED_FORMATS, NamedFormat
from .network import CIDR, IP, NETWORK
from .operators import COMPARISONS, OPERATORS
from .optionals import OPTIONALS, UNWRAPPING
from .quantities import QUANTITIES, Quantity
from .regex import MATCHES, REGEX
from .semver import SEMVER, Semver
from .strings import EXTENDED_STRINGS, JSON_PATCH, STRINGS
from .times import TIMES
from .urls import URL, URLS

# The functions that cel-cpp's checker declares: its standard library and the enabled extensions.
_KNOWN = (
    *OPERATORS,
    *CONVERSIONS,
    *STRINGS,
    *JSON_PATCH,
    *MATCHES,
    *TIMES,
    *OPTIONALS,
    *SETS,
    *EXTENDED_LISTS,
    *COMPREHENSIONS,
)

# ``has(variables.x)``, where the checker would lose the test (``checker.py``). A declared variable
# exists; an error in it remains an error.
HAS_VARIABLE = "_v_"


def _exists(_value: Value) -> bool:
    return True


# The functions that must be declared for the checker.
DECLARED = (
    function(HAS_VARIABLE, "A -> bool", _exists),
    *COMPARISONS,
    *STRING_CONVERSIONS,
    *UNWRAPPING,
    *EXTENDED_STRINGS,
    *REGEX,
    *LISTS,
    *QUANTITIES,
    *SEMVER,
    *NETWORK,
    *URLS,
    *NAMED_FORMATS,
)

TYPES = {cls.CEL_NAME: cls for cls in (Quantity, Semver, IP, CIDR, URL, NamedFormat)}

FUNCTIONS = table((*_KNOWN, *DECLARED), TYPES)

__all__ = ["DECLARED", "FUNCTIONS", "HAS_VARIABLE", "TYPES"]
