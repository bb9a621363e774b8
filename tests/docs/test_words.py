"""The pages are easy to read: short sentences, one word for one thing, and no insider words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs import limits
from docs.limits import DOCS, ROOT
from docs.prose import count_sentence, remove_code, split_sentences

USER_PAGES = [DOCS / f"{name}.md" for group in limits.GROUPS.values() for name in group]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *limits.list_pages()]
LONG = 25

# Words that do not belong on a page, and what to write.
AVOIDED = (
    (
        r"whoever|(?<!anyone )who has it|nobody|somebody|everybody|strangers?",
        "the operator, no one, a caller",
    ),
    (r"wants?|wanted|knows?|remembers?|hears?|tells?|told|says|said", "requires, has, reports"),
    (r"so that|as long as|as soon as|in place of", "so, if, instead of"),
    (r"of (?:its|their|your) own|the very|anew|beside|by hand", "separate, again, next to"),
    (r"rehears\w+|mend\w*|vouch\w*|spoils?|dear|cheap|journey|stand-ins?", "a common word"),
    (r"we|our|ours|us", "podgraft, or the actor"),
    (r"whose|takes? away|gives? back|stands?", "of, delete, return, is"),
)
# Allowed, because the text is a question of the reader or not about a program.
EXCEPTIONS = {
    ("security.md", "we"),  # "What we ask of you"
    ("README.md", "our"),
}
# No page names what readers do not have, or describes the house.
REFUSED = (
    "scripts/register.py",
    "scripts/tokens.py",
    "scripts/certs.py",
    "register.py",
    "tokens.py",
    "certs.py",
    "A test runs",
    "stand-in",
    "This page describes",
    "This tutorial",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.parametrize(("words", "use"), AVOIDED, ids=lambda value: str(value)[:20])
def test_a_page_has_no_avoided_word(page: Path, words: str, use: str) -> None:
    found = {match.lower() for match in re.findall(rf"(?<![\w-])(?:{words})(?![\w-])", prose(page))}
    assert {word for word in found if (page.name, word) not in EXCEPTIONS} == set(), f"use {use}"


def prose(page: Path) -> str:
    """The text that people wrote, without the tables that scripts write."""
    text = re.sub(
        r"<!-- (scripts/|chaos|fuzz|soak).*?<!-- (/|end)[^>]*-->",
        "",
        page.read_text(),
        flags=re.DOTALL,
    )
    return remove_code(text)


ENGINE = ROOT / "layers" / "engine" / "podgraft"
PRINTED = [
    path
    for folder in (ENGINE, ROOT / "functions", ROOT / "scripts")
    for path in sorted(folder.rglob("*.py"))
    # These packages repeat the messages of Go.
    if ENGINE / "golang" not in path.parents
]


def test_no_help_text_and_no_message_has_an_avoided_word() -> None:
    avoided = re.compile(rf"(?<![\w-])(?:{'|'.join(words for words, _ in AVOIDED)})(?![\w-])")
    found = [
        f"{path.relative_to(ROOT)}:{line}: {match[0]}"
        for path in PRINTED
        for line, text in list_texts(path)
        for match in avoided.finditer(text)
    ]
    assert found == []


def list_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Each text of a module that a program prints, with its line: literals, and helps."""
    docstrings: set[ast.AST] = set()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            expression = node.body[0]
            assert isinstance(expression, ast.Expr)
            decorators = getattr(node, "decorator_list", [])
            if not any("command" in ast.dump(each) for each in decorators):  # not a help
                docstrings.add(expression.value)
        if isinstance(node, ast.Constant) and node not in docstrings and " " in str(node.value):
            yield node.lineno, str(node.value)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_nothing_of_the_house(page: Path) -> None:
    text = page.read_text()
    assert [words for words in REFUSED if words in text] == []


def test_few_sentences_are_long() -> None:
    counts = [
        count_sentence(sentence)
        for page in PAGES
        for sentence in split_sentences(page.read_text())
        if count_sentence(sentence)
    ]
    assert sum(count > LONG for count in counts) / len(counts) <= 0.03
    assert sum(counts) / len(counts) <= 14


@pytest.mark.parametrize("page", USER_PAGES, ids=lambda page: page.name)
def test_copied_commands_have_no_prompt(page: Path) -> None:
    """GitHub copies a block as it is."""
    text = page.read_text()
    assert "```console" not in text
    assert not re.search(r"^ *\$ ", text, re.MULTILINE)


# One word for one thing: each of these has one sense on the pages for users.
SENSES = (
    # A release is of podgraft or Istio; a version is of a policy, or of the function in full.
    (r"versions? of podgraft|function of an earlier version", "release of podgraft"),
    (
        r"cluster id(?! that| of the proxies| of your mesh|'s)",
        "calling cluster, or Istio's cluster id",
    ),
    # The guard is the function that stops rollouts; probes are those of Kubernetes.
    (
        r"(?<!the )(?<!The )(?<!sidecar-)(?<!\| )[Gg]uards?\b(?! errors)|sidecar guard",
        "sidecar check",
    ),
    (r"(?<!in a )(?<!of )(?<!as )\b[Pp]robes?\b", "--test, deployment check, or sample pod"),
    (r"trial rendering|rehearsal", "check"),
)
SENSE_EXCEPTIONS = {"concepts.md", "from-istio.md", "clusters.md", "policies.md", "preview.md"}


@pytest.mark.parametrize("page", USER_PAGES, ids=lambda page: page.name)
def test_a_word_has_one_sense(page: Path) -> None:
    text = " ".join(remove_code(page.read_text()).split())
    for pattern, use in SENSES:
        is_exception = pattern.startswith("cluster id") and page.name in SENSE_EXCEPTIONS
        assert is_exception or not re.search(pattern, text), (pattern, use)
