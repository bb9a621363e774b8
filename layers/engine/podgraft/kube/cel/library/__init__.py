"""The functions of expressions: CEL's standard functions and Kubernetes' libraries.

They are those of kube-apiserver 1.37 (k8s.io/apiserver pkg/cel/environment/base.go), except
``authorizer``, each with the release that introduced it. Each module contains a table of
``Overload`` rows for one subject. Their order within a function is that of Kubernetes: the first
that fits decides about type parameters.
"""

from podgraft.kube.cel.overloads import since, table

from .conversions import CONVERSIONS
from .lists import COMPREHENSIONS, EXTENDED_LISTS, INCLUDES, LISTS, SETS
from .named_formats import NAMED_FORMATS, NamedFormat
from .network import CIDR, IP, NETWORK, URL, URLS
from .operators import ACCESS, COMPARISONS, LOGIC, OPERATORS, OPTIONAL_ACCESS
from .optionals import OPTIONALS, UNWRAPPING
from .quantities import QUANTITIES, Quantity
from .semver import SEMVER, Semver
from .strings import EXTENDED_STRINGS, FORMATS, JSON_PATCH, MATCHES, REGEX, STRINGS
from .times import TIMES

# All functions of all environments but the constructors' own.
DECLARED = (
    *LOGIC,
    *ACCESS,
    *OPERATORS,
    *COMPARISONS,
    *CONVERSIONS,
    *STRINGS,
    *MATCHES,
    *TIMES,
    *URLS,
    *REGEX,
    *EXTENDED_STRINGS,
    *LISTS,
    *since(28, OPTIONAL_ACCESS),
    *since(28, OPTIONALS),
    *since(28, UNWRAPPING),
    *since(28, QUANTITIES),
    *since(29, FORMATS),
    *since(29, SETS),
    *since(30, NETWORK),
    *since(31, NAMED_FORMATS),
    *since(32, COMPREHENSIONS),
    *since(33, SEMVER),
    *since(34, EXTENDED_LISTS),
    *since(37, INCLUDES),
)

TYPES = {cls.CEL_NAME: cls for cls in (Quantity, Semver, IP, CIDR, URL, NamedFormat)}

FUNCTIONS = table((*DECLARED, *JSON_PATCH), TYPES)

__all__ = ["DECLARED", "FUNCTIONS", "JSON_PATCH", "TYPES"]
