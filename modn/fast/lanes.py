"""Sixteen float32 numbers that compiled code computes on at once: the vector type of `modn.fast.kernels`.

LLVM knows vectors of any length and splits them into whatever registers the machine has (one AVX-512, two AVX
or four NEON registers for these sixteen), so that this is as fast as code written for one processor, and
portable. Left to itself, LLVM's vectoriser must first prove that short inner loops do not overlap in memory.

    a = load(table, row)        the numbers table[row] of a float32 array of rows of LANES numbers
    store(table, row, a * b)
    load_from, store_from       the same for LANES numbers that begin anywhere
    splat(x)                    LANES times the same number
    a + b, a - b, a * b, multiply_add(a, b, c), minimum(a, b), maximum(a, b), zero_where_above(a, x, limit)
    reciprocal(a), exp2(a), exp2_within(a), log(a), tanh(a), fold_lanes(a, half), repeat_lanes(a, size)

Only for use inside compiled functions (`modn.fast.compiling`). Every operation is done in the order written,
and infinities mean what they mean; only `multiply_add` may be fused.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from modn.fast.compiling import part

LANES = 16

_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_INTS = ir.VectorType(ir.IntType(32), LANES)


class _LanesType(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_lanes = _LanesType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _FLOATS)


# Memory


def _is_table(array: Any) -> bool:
    return isinstance(array, types.Array) and array.layout == "C" and array.dtype == types.float32


def _pointer(context: Any, builder: Any, types_: Any, args: Any, step: int) -> Any:
    """To the LANES numbers from `step` times the index on."""
    array = cgutils.create_struct_proxy(types_[0])(context, builder, args[0])
    index = context.cast(builder, args[1], types_[1], types.intp)
    first = builder.mul(index, ir.Constant(index.type, step))
    return builder.bitcast(builder.gep(array.data, [first]), _FLOATS.as_pointer())


@intrinsic
def load(typingctx: Any, table: Any, row: Any) -> Any:
    """Return row `row` of `table`, a C-ordered float32 array whose last axis has LANES numbers."""
    if not (_is_table(table) and isinstance(row, types.Integer)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args, args, LANES), align=4)

    return _lanes(table, row), codegen


@intrinsic
def store(typingctx: Any, table: Any, row: Any, value: Any) -> Any:
    """Write `value` to row `row` of `table`."""
    if not (_is_table(table) and isinstance(row, types.Integer) and isinstance(value, _LanesType)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args, args, LANES), align=4)
        return context.get_dummy_value()

    return types.void(table, row, value), codegen


@intrinsic
def splat(typingctx: Any, number: Any) -> Any:
    """Return LANES times `number`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        scalar = context.cast(builder, args[0], signature.args[0], types.float32)
        undefined = ir.Constant(_FLOATS, ir.Undefined)
        first = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
        return builder.shuffle_vector(first, undefined, ir.Constant(_INTS, [0] * LANES))

    return _lanes(number), codegen


@intrinsic
def load_from(typingctx: Any, numbers: Any, first: Any) -> Any:
    """Return numbers[first : first + LANES] of a one-dimensional array."""
    if not (_is_table(numbers) and isinstance(first, types.Integer)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args, args, 1), align=4)

    return _lanes(numbers, first), codegen


@intrinsic
def store_from(typingctx: Any, numbers: Any, first: Any, value: Any) -> Any:
    """Write `value` to numbers[first : first + LANES] of a one-dimensional array."""
    if not (_is_table(numbers) and isinstance(first, types.Integer) and isinstance(value, _LanesType)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args, args, 1), align=4)
        return context.get_dummy_value()

    return types.void(numbers, first, value), codegen


# Arithmetic


def _typed(emit: Any, *arguments: Any) -> Any:
    """What an intrinsic returns to numba: its signature, and how to emit it."""
    if not all(isinstance(argument, _LanesType) for argument in arguments):
        return None
    return _lanes(*arguments), lambda context, builder, signature, args: emit(builder, *args)


def _binary(emit: Any) -> Any:
    return intrinsic(lambda typingctx, a, b: _typed(emit, a, b))


def _operator(symbol: Any, emit: Any) -> None:
    """Let numba emit one instruction for an operator, which an `overload` would compile as a function."""

    @type_callable(symbol)
    def _(context: Any) -> Any:
        # numba requires that the signature has no annotations
        return lambda a, b: _lanes if isinstance(a, _LanesType) and isinstance(b, _LanesType) else None

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return emit(builder, *args)

    lower_builtin(symbol, _LanesType, _LanesType)(lower)


_operator(operator.add, lambda builder, a, b: builder.fadd(a, b))
_operator(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_operator(operator.mul, lambda builder, a, b: builder.fmul(a, b))
minimum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
maximum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))


@intrinsic
def multiply_add(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, fused where the machine can."""

    def emit(builder: Any, a: Any, b: Any, c: Any) -> Any:
        name = f"llvm.fmuladd.v{LANES}f32"
        function_type = ir.FunctionType(_FLOATS, [_FLOATS] * 3)
        return builder.call(cgutils.get_or_insert_function(builder.module, function_type, name), [a, b, c])

    return _typed(emit, a, b, c)


@intrinsic
def reciprocal(typingctx: Any, a: Any) -> Any:
    """Return 1 / a of finite numbers a, with a relative error below 5e-7.

    The flags let LLVM take the processor's estimate and a step of Newton's method, which is several times
    faster than its division. (ninf: the step does not hold for infinity.)
    """

    def emit(builder: Any, a: Any) -> Any:
        return builder.fdiv(ir.Constant(_FLOATS, [1.0] * LANES), a, flags=("arcp", "ninf"))

    return _typed(emit, a)


@intrinsic
def zero_where_above(typingctx: Any, a: Any, x: Any, limit: Any) -> Any:
    """Return 0 where x > limit, else a."""

    def emit(builder: Any, a: Any, x: Any, limit: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", x, limit), ir.Constant(_FLOATS, None), a)

    return _typed(emit, a, x, limit)


@intrinsic
def fold_lanes(typingctx: Any, a: Any, half: Any) -> Any:
    """Return a plus itself rotated by the literal `half`: where a repeats every 2 half lanes, every half."""
    if not (isinstance(a, _LanesType) and isinstance(half, types.IntegerLiteral)):
        return None
    moved = [(lane + half.literal_value) % LANES for lane in range(LANES)]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(args[0], _shuffled(builder, args[0], moved))

    return _lanes(a, half), codegen


@intrinsic
def repeat_lanes(typingctx: Any, a: Any, size: Any) -> Any:
    """Return the first lanes of a, the literal `size` of them, again and again."""
    if not (isinstance(a, _LanesType) and isinstance(size, types.IntegerLiteral)):
        return None
    repeated = [lane % size.literal_value for lane in range(LANES)]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], repeated)

    return _lanes(a, size), codegen


def _shuffled(builder: Any, a: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, a, ir.Constant(_INTS, lanes))


# Bits of the exponent


def _ints(*values: int) -> Any:
    return ir.Constant(_INTS, list(values) * LANES)


@intrinsic
def _add_to_exponent(typingctx: Any, a: Any, shifted: Any) -> Any:
    """Return a 2^n, for the integer n in the low bits of `shifted`."""

    def emit(builder: Any, a: Any, shifted: Any) -> Any:
        exponent = builder.shl(builder.bitcast(shifted, _INTS), _ints(23))
        return builder.bitcast(builder.add(builder.bitcast(a, _INTS), exponent), _FLOATS)

    return _typed(emit, a, shifted)


_SQRT_HALF = 0x3F3504F3  # as bits: counted from here, the mantissa is in [0.707, 1.414)


@intrinsic
def _exponent(typingctx: Any, x: Any) -> Any:
    """Return the integer n with x = m 2^n, m in [0.707, 1.414), of positive normal numbers x."""

    def emit(builder: Any, x: Any) -> Any:
        bits = builder.sub(builder.bitcast(x, _INTS), _ints(_SQRT_HALF))
        return builder.sitofp(builder.ashr(bits, _ints(23)), _FLOATS)

    return _typed(emit, x)


@intrinsic
def _mantissa(typingctx: Any, x: Any) -> Any:
    """Return that m."""

    def emit(builder: Any, x: Any) -> Any:
        bits = builder.sub(builder.bitcast(x, _INTS), _ints(_SQRT_HALF))
        bits = builder.add(builder.and_(bits, _ints(0x007FFFFF)), _ints(_SQRT_HALF))
        return builder.bitcast(bits, _FLOATS)

    return _typed(emit, x)


# Functions


@part
def exp2(t):  # type: ignore[no-untyped-def]
    """Return 2^t with a relative error below 3e-7, for t clamped to [-40, 60].

    Beyond, float32 cannot tell a sigmoid from 0 or 1 any more, while products of such numbers would become
    denormal, and these take a processor a hundred times as long.
    """
    return exp2_within(minimum(maximum(t, splat(-40.0)), splat(60.0)))


@part
def exp2_within(t):  # type: ignore[no-untyped-def]
    """Return the same without the clamp, for t within [-126, 126].

    Adding 1.5 * 2^23 rounds t to an integer, which then stands in the low bits of the sum. The rest, within
    [-1/2, 1/2], goes through the minimax polynomial of degree 5.
    """
    shifted = t + splat(12582912.0)
    f = t - (shifted - splat(12582912.0))
    p = splat(0.0013276472)
    p = multiply_add(p, f, splat(0.0096755413))
    p = multiply_add(p, f, splat(0.0555071327))
    p = multiply_add(p, f, splat(0.2402211972))
    p = multiply_add(p, f, splat(0.6931469671))
    p = multiply_add(p, f, splat(1.0000000717))
    return _add_to_exponent(p, shifted)


@part
def log(x):  # type: ignore[no-untyped-def]
    """Return ln x of positive normal numbers, with an error below 3e-7 (1 + |ln x|).

    ln(1 + f) = f p(f) with the minimax polynomial p of degree 8 for f within [-0.293, 0.415].
    """
    f = _mantissa(x) - splat(1.0)
    p = splat(0.089599263)
    p = multiply_add(p, f, splat(-0.144821931))
    p = multiply_add(p, f, splat(0.149173758))
    p = multiply_add(p, f, splat(-0.165437368))
    p = multiply_add(p, f, splat(0.199584172))
    p = multiply_add(p, f, splat(-0.250029462))
    p = multiply_add(p, f, splat(0.333341605))
    p = multiply_add(p, f, splat(-0.499999777))
    p = multiply_add(p, f, splat(0.999999975))
    return multiply_add(p, f, _exponent(x) * splat(0.6931471805599453))


@part
def tanh(x):  # type: ignore[no-untyped-def]
    """Return tanh x with an error below 1e-6."""
    return splat(1.0) - splat(2.0) * reciprocal(splat(1.0) + exp2(x * splat(2.8853900817779268)))
