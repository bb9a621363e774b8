"""The laws of the simulation. They read the ledger, and import nothing of podgraft.

Each law is a class with its name and its reason. It sees each event once, in the order of time.
"""

from __future__ import annotations

from simulation.ledger import Event, Ledger
from simulation.plan import Plan

from . import alarms, changes, credentials, folders, functions, pods, releases, serving, versions
from .facts import Facts
from .law import Law, Review

LAWS: tuple[type[Law], ...] = (
    serving.Outcomes,  # first: a candidate that responds wrongly also breaks other laws
    *versions.LAWS, *serving.LAWS, *credentials.LAWS, *changes.LAWS, *alarms.LAWS, *functions.LAWS,
    *releases.LAWS, *pods.LAWS,
)  # fmt: skip
# Reviews of injectors that nobody has, and those that ``Repeated`` compares with the first ones.
UNJUDGED = frozenset({"wander", "again"})
# Of workers that share a folder.
SHARED = (
    *folders.LAWS,
    *functions.LAWS,
    credentials.Throttled,
    credentials.Secrets,
    changes.Crashes,
)


def make_laws(plan: Plan, ledger: Ledger) -> None:
    """Let all laws watch a ledger."""
    facts = Facts(plan)
    laws = [law(facts, ledger) for law in (SHARED if "serve" in plan.features else LAWS)]
    others = [law.see for law in laws if type(law).see is not Law.see]
    judges = [law.see_review for law in laws if type(law).see_review is not Law.see_review]

    def watch(event: Event) -> None:
        facts.note(event)
        for see in others:
            see(event)
        if event.kind == "review" and event.facts["verb"] not in UNJUDGED:
            review = Review(event)  # one for all laws
            for judge in judges:
                judge(review)

    ledger.watchers.append(watch)
