"""The URL paths of reviews: ``[/k/TOKEN][/INJECTOR]/ROUTE[/TAIL]``.

The web application, the writer and the readers of webhook registrations, and the log use this
grammar. The name of a route is never the name of an injector, so ``/mutate/inject`` is a path of
the route ``mutate``.
"""

import re
from typing import Final

from msgspec import Struct

from podgraft.core.identifiers import DEFAULT_INJECTOR

ROUTES: Final = ("inject", "mutate", "validate")
TOKEN_PREFIX: Final = "/k/"  # noqa: S105  the prefix of a path

_ROUTE = "|".join(ROUTES)
# A path without the slash at its start. One slash at its end does not belong to the tail.
REVIEW: Final = (
    rf"(?:(?!(?:{_ROUTE})(?:/|$))(?P<injector>[^/]+)/)?(?P<route>{_ROUTE})"
    r"(?:/(?P<tail>[^/](?:(?s:.*)[^/])?))?/?"
)
_PATH = re.compile(rf"/{REVIEW}")


class Target(Struct, frozen=True):
    """The destination of a review.

    ``injector`` is the segment of the path: it can be a name that no injector can have. ``tail`` is
    what follows the route: for ``inject``, the variables of Istio's injector.
    """

    route: str
    injector: str = DEFAULT_INJECTOR
    tail: str = ""


def parse(path: str) -> Target | None:
    """Return the target of a path without a token; ``None`` if it has none.

    >>> parse("/istio/inject/cluster/prod")
    Target(route='inject', injector='istio', tail='cluster/prod')
    >>> parse("/a/b/inject")
    """
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    return Target(match["route"], match["injector"] or DEFAULT_INJECTOR, match["tail"] or "")


def split_token(path: str) -> tuple[str | None, str]:
    """Return the token of a path, if it has one, and the rest of the path.

    >>> split_token("/k/SECRET/istio/inject")
    ('SECRET', '/istio/inject')
    """
    if not path.startswith(TOKEN_PREFIX):
        return None, path
    token, slash, rest = path.removeprefix(TOKEN_PREFIX).partition("/")
    return token, slash + rest


def format_path(target: Target, token: str | None = None) -> str:
    """Return the path of a target.

    >>> format_path(Target("inject", tail="cluster/prod"), "SECRET")
    '/k/SECRET/inject/cluster/prod'
    """
    prefix = [] if token is None else ["k", token]
    prefix += [] if target.injector == DEFAULT_INJECTOR else [target.injector]
    return "/".join(["", *prefix, target.route, *([target.tail] if target.tail else [])])
