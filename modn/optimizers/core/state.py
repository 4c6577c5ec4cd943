"""States as plain arrays, for .npz files without pickle: a search resumes as if never interrupted."""

import json
from dataclasses import fields
from typing import Any

import numpy as np

from modn.constraints import OneOf, check
from modn.optimizers.core.base import Optimizer, State
from modn.optimizers.core.space import Array, Space

_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def save_state(state: State, rng: np.random.Generator) -> dict[str, Array]:
    """The state and the generator as named arrays, ready for `np.savez`.

    >>> from modn.optimizers import Space, make, save_state
    >>> rng = np.random.default_rng(0)
    >>> state = make("pso", population=5).init(Space.bits(3), rng)
    >>> {"best", "generation", "rng"} <= set(save_state(state, rng))
    True
    """
    arrays = {f.name: np.asarray(getattr(state, f.name)) for f in fields(state) if f.name != "space"}
    arrays["space_lower"] = state.space.lower
    arrays["space_upper"] = state.space.upper
    arrays["space_boolean"] = np.asarray(state.space.boolean)
    # JSON, since the generators' states are nested and hold integers of 128 bits.
    arrays["rng"] = np.asarray(json.dumps(rng.bit_generator.state, default=lambda array: array.tolist()))
    return arrays


def load_state(optimizer: Optimizer, arrays: Any) -> tuple[Any, np.random.Generator]:
    """The state and the generator from the arrays of `save_state`, or from `np.load` of their file.

    >>> from modn.optimizers import Space, load_state, make, save_state
    >>> optimizer, rng = make("pso", population=5), np.random.default_rng(0)
    >>> state = optimizer.init(Space.box([0.0], [1.0]), rng)
    >>> again, same = load_state(optimizer, save_state(state, rng))
    >>> (optimizer.ask(again, same) == optimizer.ask(state, rng)).all()
    np.True_
    """
    kept = {f.name for f in fields(optimizer.state_class)} - {"space"}
    missing = sorted((kept | {"space_lower", "space_upper", "space_boolean", "rng"}) - set(arrays))
    if missing:
        raise ValueError(
            f"arrays has no {', '.join(missing)}; allowed: a state of {optimizer.name}, from `save_state`"
        )
    space = Space(arrays["space_lower"], arrays["space_upper"], bool(arrays["space_boolean"]))
    values = {name: np.array(arrays[name]) for name in kept}
    plain = {name: value.item() if value.ndim == 0 else value for name, value in values.items()}
    make: Any = optimizer.state_class
    state = make(space=space, **plain)

    rng_state = json.loads(str(arrays["rng"]))
    name = rng_state["bit_generator"]
    check("bit_generator", name, OneOf(_BIT_GENERATORS))
    bit_generator = getattr(np.random, name)()
    bit_generator.state = rng_state
    return state, np.random.Generator(bit_generator)
