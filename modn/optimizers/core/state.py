"""States as plain arrays, for .npz files without pickle: a resumed search goes on as if never interrupted."""

import json
from dataclasses import fields
from typing import Any

import numpy as np

from modn.optimizers.core.base import Optimizer, State
from modn.optimizers.core.space import Array, Space

_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def save_state(state: State, rng: np.random.Generator) -> dict[str, Array]:
    """The state and the generator as named arrays, ready for `np.savez`."""
    arrays = {f.name: np.asarray(getattr(state, f.name)) for f in fields(state) if f.name != "space"}
    arrays["space_lower"] = state.space.lower
    arrays["space_upper"] = state.space.upper
    arrays["space_boolean"] = np.asarray(state.space.boolean)
    # JSON, since the generators' states are nested and hold integers of 128 bits.
    arrays["rng"] = np.asarray(json.dumps(rng.bit_generator.state, default=lambda array: array.tolist()))
    return arrays


def load_state(optimizer: Optimizer, arrays: Any) -> tuple[Any, np.random.Generator]:
    """State and generator back from `save_state`'s arrays, or from what `np.load` makes of their file."""
    kept = {f.name for f in fields(optimizer.state_class)} - {"space"}
    missing = sorted((kept | {"space_lower", "space_upper", "space_boolean", "rng"}) - set(arrays))
    if missing:
        raise ValueError(f"this is no saved state of {optimizer.name}: {', '.join(missing)} missing")
    space = Space(arrays["space_lower"], arrays["space_upper"], bool(arrays["space_boolean"]))
    values = {name: np.array(arrays[name]) for name in kept}
    plain = {name: value.item() if value.ndim == 0 else value for name, value in values.items()}
    make: Any = optimizer.state_class
    state = make(space=space, **plain)

    rng_state = json.loads(str(arrays["rng"]))
    name = rng_state["bit_generator"]
    if name not in _BIT_GENERATORS:
        raise ValueError(f"unknown bit generator {name!r}; allowed are {', '.join(_BIT_GENERATORS)}")
    bit_generator = getattr(np.random, name)()
    bit_generator.state = rng_state
    return state, np.random.Generator(bit_generator)
