"""Compose conf/ into params.yaml, as `dvc exp run` does: python -m stages.tools.params profile=smoke.

Without arguments it returns to the defaults. With --show nothing is written: a params.yaml that was edited by
hand is refused, and the parameters in force are printed.
"""

import argparse

from stages.config import composition
from stages.io import entrypoint, files


def main() -> None:
    """Write params.yaml; if a value is refused, the file stays as it is."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.params",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="in Hydra's syntax, such as alpha_s=5"
    )
    parser.add_argument("--show", action="store_true", help="only print the parameters in force")
    arguments = parser.parse_intermixed_args()
    with entrypoint.reported("params"):
        if not arguments.show:
            text = composition.compose_conf(arguments.overrides)
            files.write_text(composition.ROOT / "params.yaml", text)
        print(f"params: {composition.describe(composition.compose_stage([]))}")


if __name__ == "__main__":
    main()
