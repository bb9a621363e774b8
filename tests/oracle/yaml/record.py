"""Texts and values for the YAML oracle, and the fixtures recorded from its answers.

python -m oracle.yaml.record        (in tests/, with the repository's environment)
"""

from pathlib import Path
from random import Random

from oracle import program
from oracle.yaml.hostile import BOMBS, PIECES, SCALARS, STREAM_LINES, STRINGS, TAGS, TEXTS, VALUES
from podgraft.base.jsonvalue import JSON

FIXTURES = Path(__file__).parents[2] / "kube" / "yaml" / "fixtures"


def main() -> None:
    """Record every fixture anew."""
    random = Random(0)  # noqa: S311 - the same rows every time
    program.write(FIXTURES / "load.jsonl", program.stable_answers("yaml", load_rows(random)))
    program.write(FIXTURES / "dump.jsonl", program.stable_answers("yaml", dump_rows(random)))


def load_rows(random: Random) -> list[program.Row]:
    """Texts to read: all that stand above, and as many that chance makes of them."""
    texts = [f"a: {scalar}" for scalar in SCALARS]
    texts += [f"{scalar}: a" for scalar in random.sample(SCALARS, 60)]
    texts += [f"{tag} {random.choice(SCALARS)}" for tag in TAGS for _ in range(8)]
    texts += [f"- {tag} '{random.choice(SCALARS)}'" for tag in TAGS for _ in range(4)]
    texts += [document(random) for _ in range(120)]
    texts += [damage_text(random, document(random)) for _ in range(150)]
    strict = [*TEXTS, *(document(random) for _ in range(60))]
    streams = ["".join(random.choices(STREAM_LINES, k=random.randrange(8))) for _ in range(80)]
    return [
        *({"load": text} for text in (*texts, *TEXTS, *BOMBS)),
        *({"strict": text} for text in strict),
        *({"all": text} for text in streams),
    ]


def dump_rows(random: Random) -> list[program.Row]:
    """Values to write, alone and inside others."""
    values: list[JSON] = [*SCALARS, *STRINGS, *VALUES]
    values.extend({"k": [one, {one: one}]} for one in STRINGS)
    values.extend(value(random, 4) for _ in range(150))
    return [{"dump": one} for one in values]


def document(random: Random, depth: int = 4, indent: int = 0) -> str:
    """A block document with scalars of every kind, anchors and merges; not always a valid one."""
    margin = " " * indent
    kind = random.random() if depth else 0
    if kind < 0.4:
        return f"{scalar(random)}\n"
    if kind < 0.5:
        words = ", ".join(
            random.choices(("a", "1", "yes", "'x'", "~", "1e3"), k=random.randrange(4))
        )
        return random.choice(("[{}]\n", "{{k: [{}]}}\n")).format(words)
    if kind < 0.6:
        style = random.choice(("|", "|-", "|+", ">", ">-", "|2"))
        lines = (f"{margin}  {random.choice(SCALARS)}\n" for _ in range(random.randrange(4)))
        return f"{style}\n{''.join(lines)}"
    anchor = random.choice(("", "", " &a", " &b"))
    if kind < 0.75:
        items = (document(random, depth - 1, indent + 2) for _ in range(random.randrange(1, 4)))
        return f"{anchor}\n{''.join(f'{margin}- {item}' for item in items)}"
    members = (member(random, depth, indent) for _ in range(random.randrange(1, 5)))
    return f"{anchor}\n{''.join(f'{margin}{one}' for one in members)}"


def member(random: Random, depth: int, indent: int) -> str:
    """One member of a mapping."""
    if random.random() < 0.15:
        return f"<<: {random.choice(('*a', '*b', '[*a, *b]', '{z: 1}', '5'))}\n"
    key = random.choice("abcdefgh") if random.random() < 0.8 else scalar(random)
    if random.random() < 0.1:
        return f"{key}: {random.choice(('*a', '*b'))}\n"
    return f"{key}: {document(random, depth - 1, indent + 2)}"


def scalar(random: Random) -> str:
    """A scalar in any style, sometimes tagged."""
    word = random.choice(SCALARS)
    quoted = random.choice((word, word, word, f'"{word}"', f"'{word}'"))
    return f"{random.choice(TAGS[:8])} {quoted}" if random.random() < 0.1 else quoted


def damage_text(random: Random, text: str) -> str:
    """The text with some characters lost or put in."""
    characters = list(text)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(characters) or 1)
        characters[at : at + random.randrange(2)] = random.choice(
            (
                ":",
                " ",
                "\n",
                "-",
                "\t",
                "#",
                "'",
                '"',
                "&a",
                "*a",
                ">",
                "%",
                "@",
                "\r\n",
                "é",
                "\\",
                "",
            )
        )
    return "".join(characters)


def value(random: Random, depth: int) -> JSON:
    """A JSON value whose texts are hard to write."""
    match random.randrange(8) if depth else 0:
        case 0 | 1 | 2:
            return text(random)
        case 3:
            return random.choice(VALUES)
        case 4 | 5:
            return [value(random, depth - 1) for _ in range(random.randrange(4))]
        case _:
            return {text(random): value(random, depth - 1) for _ in range(random.randrange(5))}


def text(random: Random) -> str:
    """A string put together from pieces, or one that another type looks like."""
    if random.random() < 0.3:
        return random.choice((*SCALARS, *STRINGS))
    return "".join(random.choices(PIECES, k=random.randrange(9)))


if __name__ == "__main__":
    main()
