"""The callers of all clusters from files, reloaded when they change."""

from pathlib import Path

from msgspec.structs import replace

from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import NotLoadedError, StoreError, UnavailableError
from podgraft.kube import yaml
from podgraft.service.store import caller_document
from podgraft.service.store.caller_document import Callers, TokensError
from podgraft.service.store.callers import CallerRegistry, LastKnownGood

from . import files
from .file_cache import FileCache
from .files import convert_errors


class FolderCallers:
    """The callers of all clusters from files; *seconds* as for ``FolderStore``.

    Callers are never restored from another process, because that could restore a revoked token.
    """

    def __init__(self, folder: Path, *, seconds: float = 0.0) -> None:
        self._folder = folder
        self._path = folder / "auth"
        self._loaded: CallerRegistry | None = None
        self._reloading = FileCache(
            self._fingerprint, self._load_registry, seconds, settled=_is_stable
        )

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        """Return the callers of all clusters; a local disk needs no deadline.

        Raises ``UnavailableError`` if auth/ is unreadable and nothing was loaded.
        """
        del deadline
        current = self._reloading.current()
        if current.error is None:
            return current.value
        return replace(current.value, outage=LastKnownGood(current.error))

    def _fingerprint(self) -> object:
        with convert_errors("callers", self._path):
            if not self._is_new():
                return files.fingerprint(str(self._path))
            return "empty" if files.is_empty(self._folder) else "new"

    def _is_new(self) -> bool:
        """Whether auth/ is missing, and this process never loaded it."""
        return self._loaded is None and not files.is_present(self._path)

    def _load_registry(self) -> CallerRegistry:
        with convert_errors("callers", self._path):
            if self._is_new():
                return _empty_registry(self._folder)
            paths = sorted(path for path in self._path.iterdir() if _is_document(path))
        read = {path.stem: _load_callers(path) for path in paths}
        self._loaded = (self._loaded or CallerRegistry()).merge(read)
        return self._loaded


def _empty_registry(folder: Path) -> CallerRegistry:
    """Return the callers of a store without auth/: none, or an error if the store is empty."""
    if not files.is_empty(folder):
        return CallerRegistry()
    problem = UnavailableError(f"the store is empty: {folder.name}; restore it")
    return CallerRegistry(outage=LastKnownGood(problem))


def _is_document(path: Path) -> bool:
    """Whether a file of auth/ is a caller document, not a lock of an editor (``.#x.yaml``)."""
    return path.suffix == ".yaml" and not path.name.startswith(".")


def _load_callers(path: Path) -> Callers | StoreError:
    """Return the callers of one cluster, or the error of their document."""
    try:
        text = path.read_text()
        if not text.strip():
            remedy = "write the callers, or delete the file to revoke them all"
            return NotLoadedError(f"auth/{path.name} does not load: is empty; {remedy}")
        return caller_document.load_callers(text)
    except (TokensError, UnicodeDecodeError) as error:
        return NotLoadedError(f"auth/{path.name} does not load: {error}")
    except yaml.NotYAMLError as error:
        # The text of the error can quote a key, which can be a token by accident.
        problem = f"not one valid YAML document at {error.position}"
        return NotLoadedError(f"auth/{path.name} does not load: {problem}")
    except OSError as error:
        return UnavailableError(f"auth/{path.name} cannot be read: {error.strerror}")


def _is_stable(registry: CallerRegistry) -> bool:
    """Whether every document was read; an unreadable one can be readable the next time."""
    problems = [each.problem for each in registry.last_known_good.values()]
    problems += registry.load_errors.values()
    is_gone = registry.outage is not None
    return not is_gone and not any(isinstance(each, UnavailableError) for each in problems)
