"""The recorded result as HTML: what the page and the documentation site show before any script."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def render_sentence(sentence: Sequence[str]) -> str:
    """A sentence of the engine; its texts at odd indexes are code."""
    return "".join(
        f"<code>{escape(text, quote=False)}</code>" if index % 2 else escape(text, quote=False)
        for index, text in enumerate(sentence)
    )


def fill_verdict(document: Any) -> dict[str, str]:
    """The placeholders of ``index.html`` for the verdict of a document."""
    verdict, changes = document["verdict"], document["changes"]
    place = f"{verdict['kind']} in namespace {verdict['namespace']}"
    return {
        "TONE": verdict["tone"],
        "ICON": verdict["icon"],
        "WORD": escape(verdict["word"]),
        "REASON": render_sentence(verdict["reason"]),
        "SUBJECT": f"<code>{escape(verdict['name'])}</code>{escape(place)}",
        "FACTS": "".join(_render_facts(changes)),
    }


def _render_facts(changes: Any) -> Iterable[str]:
    for sign, name, text in changes["facts"]:
        kind = "sign" if sign == "+" else "sign changes"
        yield f'<li><span class="{kind}">{sign}</span><b>{escape(name)}</b>{escape(text)}</li>'
    if changes["others"]:
        yield f"<li>and {changes['others']} labels and annotations</li>"
