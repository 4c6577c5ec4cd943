"""plot: the figures of the report, from its tables."""

import pandas as pd

from modn import plots
from stages import entrypoint, files
from stages.schema import Parameters


def plot(parameters: Parameters) -> None:
    """Read tables/ of the report, write figures/."""
    folder = files.report_folder(parameters.profile)
    table3 = pd.read_csv(folder / "tables/table3.csv")
    curves = pd.read_csv(folder / "tables/curves.csv")
    figures = {"accuracy": plots.accuracy_bars(table3), "loss_curves": plots.loss_curves(curves)}
    (folder / "figures").mkdir(exist_ok=True)
    for name, figure in figures.items():
        plots.save(figure, folder / "figures" / f"{name}.png")
    print(f"plot: {len(figures)} figures")


if __name__ == "__main__":
    entrypoint.run("plot", __doc__, plot)
