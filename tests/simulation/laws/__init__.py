"""The laws of the simulation. They read the ledger, and import nothing of podgraft.

Each law is a class with its name and its reason. It sees each event once, in the order of time.
"""

from __future__ import annotations

from simulation.ledger import Event, Ledger
from simulation.plan import Plan

from . import alarms, changes, credentials, serving, versions
from .facts import Facts, Law

LAWS: tuple[type[Law], ...] = (
    serving.Outcomes,  # first: a candidate that responds wrongly also breaks other laws
    *versions.LAWS, *serving.LAWS, *credentials.LAWS, *changes.LAWS, *alarms.LAWS,
)  # fmt: skip


def make_laws(plan: Plan, ledger: Ledger) -> None:
    """Let all laws watch a ledger."""
    facts = Facts(plan)
    laws = [law(facts, ledger) for law in LAWS]
    others = [law for law in laws if type(law).see is not Law.see]

    def watch(event: Event) -> None:
        facts.note(event)
        for law in laws if event.kind == "review" else others:
            law.see(event)

    ledger.watchers.append(watch)
