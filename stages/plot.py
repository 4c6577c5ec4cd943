"""plot: the figures of the report, from its tables and the example neurons."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from modn import plots
from modn.neuron import Neuron
from stages.config.schema import Parameters
from stages.io import entrypoint, files


def plot(parameters: Parameters) -> None:
    """Read the report's tables/ and data/examples.npz, write figures/."""
    folder = files.report_folder(parameters.profile)
    drawn = 0
    with files.replaced_folder(folder / "figures") as fresh:
        for name, figure in _figures(folder / "tables"):
            plots.save(figure, fresh / f"{name}.png")
            drawn += 1
    print(f"plot: {drawn} figures")


def _figures(folder: files.Path) -> Iterator[tuple[str, Figure]]:
    """Every figure there is something to draw for."""
    names = ("table3", "runs", "curves", "roc", "baselines")
    tables = {name: files.read_csv(folder / f"{name}.csv") for name in names}
    table3, runs = tables["table3"], tables["runs"]
    swept = runs[runs["study"] == "sensitivity"]
    yield "accuracy", plots.accuracy_bars(table3)
    if not swept.empty:
        yield "sensitivity_dendrites", plots.sensitivity_dendrites(swept)
        yield "sensitivity_alphas", plots.sensitivity_alphas(swept)
    if not tables["curves"].empty:
        yield "loss_curves", plots.loss_curves(tables["curves"])
    titles = dict(zip(table3["dataset"], table3["title"], strict=True))
    examples = _examples(titles)
    if examples:
        yield "filters", plots.filters([example for example, *_ in examples])
        yield "neuron", _draw_neuron(examples)
    if not tables["roc"].empty:
        yield "roc", plots.roc(tables["roc"])
    if table3["paper"].notna().any():
        yield "paper_scatter", plots.paper_scatter(table3)
    if table3["optimizer"].nunique() > 1:
        yield "optimizer_ranks", plots.optimizer_ranks(table3)
    if not tables["baselines"].empty:
        yield "classifier_ranks", plots.classifier_ranks(tables["baselines"])


Example = tuple[plots.FilterExample, Neuron, list[str], list[str]]


def _examples(titles: dict[str, str]) -> list[Example]:
    """The trained neurons that evaluate chose, with their names of features and classes."""
    arrays = files.read_arrays(files.EXAMPLES)
    result = []
    for prefix in dict.fromkeys(key.rpartition("/")[0] for key in arrays):
        dataset, model = prefix.split("/")
        own = {key.rpartition("/")[2]: value for key, value in arrays.items() if key.startswith(f"{prefix}/")}
        alpha_s, alpha_t = own["alphas"].tolist()
        features, classes = own["features"].tolist(), own["classes"].tolist()
        neuron = Neuron.from_parameters(own["parameters"], own["P"], len(features), alpha_s, alpha_t)
        example = plots.FilterExample(dataset, titles[dataset], model, own["P"], float(own["acc"]))
        result.append((example, neuron, features, classes))
    order = list(titles)
    models = list(dict.fromkeys(example.model for example, *_ in result))
    return sorted(result, key=lambda item: (order.index(item[0].dataset), models.index(item[0].model)))


def _draw_neuron(examples: list[Example]) -> Figure:
    """The first model's neuron with the fewest synapses."""
    first = [item for item in examples if item[0].model == examples[0][0].model]
    example, neuron, features, classes = min(first, key=lambda item: item[1].w_s.size)
    figure = plots.neuron(neuron, features, classes)
    figure.suptitle(f"{example.title}: {plots.style.model_name(example.model)}, ACC {example.acc:.4f}")
    return figure


if __name__ == "__main__":
    entrypoint.run("plot", __doc__, plot)
