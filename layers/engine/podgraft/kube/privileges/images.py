"""Image references: their complete form, and prefixes of it."""

_DEFAULT_REGISTRY = "docker.io"
_OFFICIAL = "library"


def normalize_image(image: str) -> str:
    """Return an image reference with its registry, as container runtimes complete it.

    The first part is a registry if it contains a dot or a colon, or is ``localhost``
    (github.com/distribution/reference, splitDockerDomain).

    >>> normalize_image("istio/proxyv2:1.30.3"), normalize_image("nginx")
    ('docker.io/istio/proxyv2:1.30.3', 'docker.io/library/nginx')
    """
    registry, slash, path = image.partition("/")
    is_registry = slash and (
        "." in registry
        or ":" in registry
        or registry == "localhost"
        or registry.lower() != registry
    )
    if not is_registry:
        registry, path = _DEFAULT_REGISTRY, image
    if registry == "index.docker.io":
        registry = _DEFAULT_REGISTRY
    if registry == _DEFAULT_REGISTRY and "/" not in path:
        path = f"{_OFFICIAL}/{path}"
    return f"{registry}/{path}"


def is_below(image: str, prefix: str) -> bool:
    """Whether an image has the prefix, and the prefix ends with a part of the reference.

    >>> is_below("docker.io/istio/proxyv2:1.30.3", "docker.io/istio")
    True
    >>> is_below("docker.io/istio-fork/proxyv2:1.30.3", "docker.io/istio")
    False
    """
    complete = normalize_image(image)
    if not complete.startswith(prefix):
        return False
    end = complete[len(prefix) : len(prefix) + 1]
    return prefix.endswith("/") or end in {"", "/", ":", "@"}
