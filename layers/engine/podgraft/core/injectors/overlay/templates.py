"""The templates of overlays: the text is permanent, and the compiled form is in a bounded cache.

A compiled template needs about fifteen times the memory of its text, and a pod matches few of the
overlays of a function with many injectors. Equal templates of several injectors share one entry.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress

from msgspec import Struct

from podgraft.core.injectors.errors import OperatorError
from podgraft.golang import texttemplate

from .data import FUNCTIONS

# Characters of text of all compiled templates of a process: about 60 MB of memory.
MAX_CHARACTERS = 4_000_000


class OverlayTemplate(Struct, frozen=True):
    """The template of the overlay *name*."""

    name: str
    text: str

    def compile(self) -> texttemplate.Program:
        """Return the cached compiled template, or compile it.

        Raises ``TemplateError`` or ``LimitError`` if the text is invalid.
        """
        return COMPILED.lookup(self)

    def load(self) -> texttemplate.Program:
        """Compile a template for a review; raises ``OperatorError``."""
        try:
            return self.compile()
        except (texttemplate.TemplateError, texttemplate.LimitError) as error:
            raise OperatorError(f"overlay {self.name}: does not parse: {error}") from error


class CompiledTemplateCache:
    """The most recently used compiled templates, up to a number of characters of their texts.

    Threads can share the cache. In the worst case, a template is compiled twice.
    """

    def __init__(self, max_characters: int) -> None:
        self._max_characters = max_characters
        self._compiled: OrderedDict[OverlayTemplate, texttemplate.Program] = OrderedDict()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._compiled)

    def lookup(self, template: OverlayTemplate) -> texttemplate.Program:
        """The compiled template; raises ``TemplateError`` or ``LimitError``."""
        compiled = self._compiled.get(template)
        if compiled is None:
            compiled = texttemplate.compile_(template.text, name=template.name, functions=FUNCTIONS)
            self._store(template, compiled)
        else:
            with suppress(KeyError):  # another thread can evict it at any time
                self._compiled.move_to_end(template)
        return compiled

    def _store(self, template: OverlayTemplate, compiled: texttemplate.Program) -> None:
        if template not in self._compiled:
            self._characters += len(template.text)
        self._compiled[template] = compiled
        while self._characters > self._max_characters and len(self._compiled) > 1:
            evicted, _ = self._compiled.popitem(last=False)
            self._characters -= len(evicted.text)


COMPILED = CompiledTemplateCache(MAX_CHARACTERS)
