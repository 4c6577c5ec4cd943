"""plot: draw the figures of the report from its tables and the example neurons."""

from modn import plots
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.study import figures, names


def plot(parameters: Parameters) -> None:
    """Read the report's tables/ and data/examples.npz, write figures/."""
    names.use(parameters.derived["titles"])
    folder = files.report_folder(parameters.profile)
    drawable = figures.drawable(folder / "tables")
    with files.replaced_folder(folder / "figures") as fresh:
        for figure, material in drawable.items():
            plots.save(figures.draw(figure, material), fresh / f"{figure.name}.png")
    print(f"plot: {len(drawable)} figures")


if __name__ == "__main__":
    entrypoint.run("plot", __doc__, plot)
