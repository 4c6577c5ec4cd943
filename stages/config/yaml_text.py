"""YAML that is refused before it is read: aliases and deep nesting, whose cost has no bound."""

import re
from pathlib import Path

import yaml

DEEPEST = 20  # levels of a file, or brackets of an override
LONGEST = 10_000  # characters of an override
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check_file(path: Path, name: str) -> None:
    """Refuse a file with aliases, or nested deeper than any of ours; `name` is for messages."""
    depth = 0
    try:
        for event in yaml.parse(path.read_bytes(), LOADER):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise ValueError(f"{name}, line {line}: *{event.anchor} is an alias; allowed: plain values")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > DEEPEST:
                line = event.start_mark.line + 1
                raise ValueError(f"{name}, line {line}: {depth} levels; allowed: {DEEPEST}")
    except yaml.YAMLError as error:
        raise ValueError(f"{name} cannot be read: {one_line(str(error))}") from None


def one_line(text: str) -> str:
    """A parser's message, without the lines that point at a place in the one above, or to a web page."""
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line.strip("^ ") and not line.startswith("See https://"))


def check_override(override: str) -> None:
    """Refuse an override that is too long or nested too deep for Hydra's parser."""
    if len(override) > LONGEST:
        raise ValueError(f"{override[:40]}... has {len(override)} characters; allowed: {LONGEST}")
    depth = deepest = 0
    for bracket in re.findall(r"[\[{(\])}]", override):
        depth += 1 if bracket in "[{(" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise ValueError(f"{override[:40]}... is nested {deepest} levels deep; allowed: {DEEPEST}")
