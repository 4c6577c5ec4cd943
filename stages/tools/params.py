"""Compose conf/ into params.yaml, as `dvc exp run` does: python -m stages.tools.params profile=smoke."""

import argparse

from stages.config import composition
from stages.io import entrypoint, files


def main() -> None:
    """Write params.yaml; if a value is refused, the file stays as it is."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.params", description=__doc__)
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="in Hydra's syntax, such as alpha_s=5"
    )
    overrides = parser.parse_args().overrides
    composition.register()
    with entrypoint.reported("params"):
        text = composition.compose_conf(overrides)
        files.write_text(composition.ROOT / "params.yaml", text)


if __name__ == "__main__":
    main()
