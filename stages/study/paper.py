"""What the paper ran: its optimizers, its models and its parameters."""

from typing import Any

HEURISTICS = {"bbo", "ga", "pso", "pbil", "es"}
OPTIMIZERS = HEURISTICS | {"bp"}
MODELS = {"modn", "modnp", "modnf"}
TUNED = {"modn": "bbo", "dnm": "bbo", "mlp": "bp"}  # Table 5: which optimizer trains which model
SWEPT = ("raisin", "iris")  # the datasets of Fig. 4, a MODN by BBO on each

PARAMETERS: dict[str, Any] = {
    "runs": 30,
    "alpha_s": 10,
    "alpha_t": 1,
    "dendrites_per_class": 10,
    "dendrites": None,
    "max_iterations": None,
    "split.protocol": "published",
    "sensitivity.dendrites": list(range(4, 21)),
    "sensitivity.alpha_s": [1, 5, 10, 15, 20],
    "sensitivity.alpha_t": [0.1, 0.5, 1, 1.5, 2],
}
