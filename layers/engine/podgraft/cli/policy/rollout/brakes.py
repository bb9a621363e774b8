"""The brakes of a store: the documents that stop all rollouts, or those of one injector."""

from collections.abc import Iterator

from msgspec import Struct

from podgraft.base.jsonvalue import JSON
from podgraft.cli.policy.storage import PolicyStorage
from podgraft.core.versions.brake import ALL, is_stopped, parse_brakes
from podgraft.kube import yaml
from podgraft.service.store.names import brake_name


class Brake(Struct, frozen=True):
    """A brake: its path or parameter, its text, and whether it belongs to all injectors."""

    location: str
    text: str
    for_all: bool

    @property
    def ids(self) -> frozenset[str]:
        """The rollouts that the brake stops; ``ALL`` are all."""
        return parse_brakes([self.text])

    @property
    def target(self) -> str:
        """The words for what the brake stops."""
        return "all rollouts" if ALL in self.ids else min(self.ids)

    def stops(self, rollout: str) -> bool:
        """Whether the brake stops the rollout with this id."""
        return is_stopped(rollout, self.ids)

    @property
    def fields(self) -> JSON:
        """The author, the time, and the reason; None for invalid YAML."""
        try:
            return yaml.load_document(self.text)
        except yaml.NotYAMLError:
            return None

    def describe(self) -> str:
        """The author, the time, and the reason, in one line."""
        fields = self.fields
        if not isinstance(fields, dict):
            return "it is not a mapping, so it stops all rollouts"
        words = [f"{key} {fields[key]}" for key in ("by", "at", "reason") if fields.get(key)]
        return " ".join(", ".join(words).split()) or "it states no reason"


def name_of_brake(storage: PolicyStorage, *, for_all: bool) -> str:
    """The name of the document: of all injectors, or of this one."""
    return brake_name(None if for_all else storage.injector)


def read_brake(storage: PolicyStorage, *, for_all: bool) -> Brake | None:
    """Return a brake, or None."""
    name = name_of_brake(storage, for_all=for_all)
    text = storage.documents.read(name).text
    return None if text is None else Brake(storage.documents.locate(name), text, for_all)


def read_brakes(storage: PolicyStorage) -> Iterator[Brake]:
    """Return the brakes that exist; that of all injectors first."""
    for for_all in (True, False):
        brake = read_brake(storage, for_all=for_all)
        if brake is not None:
            yield brake
