"""The recorded result as a card of the start page: verdict, path, and what the pod gains."""

from collections.abc import Iterator
from html import escape
from typing import Any

from .render import render_sentence

_ICONS = {
    "leaf": "M5 19 15 9M9 15C6.5 7.5 11.5 3.5 20.5 3.5 20.5 12.5 16.5 17.5 9 15Z",
    "check": "m6 12.5 4 4 8-9",
}


def render_card(document: Any, playground: str) -> str:
    """The card as HTML; *playground* is the address of the playground."""
    verdict = document["verdict"]
    (path,) = document["paths"]
    reason = render_sentence(verdict["reason"])
    return (
        f'<figure class="card" data-tone="{verdict["tone"]}">'
        "<figcaption><code>podgraft explain -f pod.yaml</code>"
        f'<a href="{playground}">Open this example</a></figcaption>'
        f'<div class="card__verdict"><span class="badge" aria-hidden="true">{_icon("leaf")}</span>'
        f"<div><b>{escape(verdict['word'])}</b>{reason}</div></div>"
        f'<ol class="path settled">{"".join(_rows(path["rows"]))}</ol>'
        f'<ul class="card__facts">{"".join(_facts(document["changes"]))}</ul></figure>'
    )


def _rows(rows: Any) -> Iterator[str]:
    for row in rows:
        names = {"decides": "check", "end": "leaf"}
        icon = _icon(names[row["state"]]) if row["state"] in names else ""
        found = "; ".join(map(render_sentence, row["found"]))
        yield (
            f'<li class="{row["state"]}"><span class="node" aria-hidden="true">{icon}</span>'
            f'<span class="name"><span>{render_sentence(row["title"])}</span></span>'
            f'<span class="found">{found}</span></li>'
        )


def _facts(changes: Any) -> Iterator[str]:
    for sign, name, text in changes["facts"]:
        if sign == "+":
            yield f"<li><i>+</i><span>{escape(name)} {escape(text)}</span></li>"


def _icon(name: str) -> str:
    return f'<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="{_ICONS[name]}"/></svg>'
