"""Print the comment for a pull request: python -m stages.tools.review base=main."""

import argparse

from stages.config import composition
from stages.io import entrypoint
from stages.io.entrypoint import StageError
from stages.tools.review import __doc__ as about
from stages.tools.review import comment
from stages.tools.review.figures import Links

USAGE = (
    "python -m stages.tools.review base=main [links=https://...] [base_links=https://...] [pages=https://...]"
)
ARGUMENTS = {
    "base": "the branch, tag or commit to compare with",
    "links": "an address to put before the paths of this side's files; without it they are relative",
    "base_links": "the same for the base's files; without it they are named, not shown",
    "pages": "where the reports of the default branch are published",
}


def main() -> None:
    """Print the comment, or an error message."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.review",
        usage=USAGE,
        description=about,
        epilog="\n".join(f"{name}=...: {text}" for name, text in ARGUMENTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    given = dict(argument.partition("=")[::2] for argument in parser.parse_args().arguments)
    with entrypoint.reported("review"):
        unknown = sorted(given.keys() - ARGUMENTS.keys())
        if unknown:
            raise StageError(f"there is no argument {unknown[0]!r}; allowed: {', '.join(ARGUMENTS)}")
        if not given.get("base"):
            raise StageError(f"base=... is missing: {ARGUMENTS['base']}")
        links = Links(given.get("links", ""), given.get("base_links", ""))
        found = comment.examine(composition.ROOT, given["base"])
        print(comment.write(found, links, given.get("pages", "")))


if __name__ == "__main__":
    main()
