/* The kernel of modn.fast.objective in C: the same recipe, chunks and arithmetic, for the compiler's own limit.

   Compiled on the spot by objective.py with -O3 -march=native -ffast-math -fno-associative-math (exp2 rounds by
   adding a large number, which must not be simplified away). Vectors are GCC's and Clang's own extension. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LANES 16
#define LOG2_E 1.4426950408889634
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));

static inline vec splat(float x) { return x - (vec){0}; }

static inline vec minimum(vec a, vec b) {
    for (int lane = 0; lane < LANES; lane++) a[lane] = a[lane] < b[lane] ? a[lane] : b[lane];
    return a;
}

static inline vec maximum(vec a, vec b) {
    for (int lane = 0; lane < LANES; lane++) a[lane] = a[lane] > b[lane] ? a[lane] : b[lane];
    return a;
}

static inline vec exp2v(vec t) {
    t = minimum(maximum(t, splat(-40.0f)), splat(60.0f));
    vec shifted = t + 12582912.0f;
    vec f = t - (shifted - 12582912.0f);
    vec p = splat(0.0013276472f);
    p = p * f + 0.0096755413f;
    p = p * f + 0.0555071327f;
    p = p * f + 0.2402211972f;
    p = p * f + 0.6931469671f;
    p = p * f + 1.0000000717f;
    return (vec)((ivec)p + ((ivec)shifted << 23));
}

static inline vec logv(vec x) {
    ivec bits = (ivec)x - 0x3F3504F3;
    vec exponent = __builtin_convertvector(bits >> 23, vec);
    vec f = (vec)((bits & 0x007FFFFF) + 0x3F3504F3) - 1.0f;
    vec p = splat(0.089599263f);
    p = p * f - 0.144821931f;
    p = p * f + 0.149173758f;
    p = p * f - 0.165437368f;
    p = p * f + 0.199584172f;
    p = p * f - 0.250029462f;
    p = p * f + 0.333341605f;
    p = p * f - 0.499999777f;
    p = p * f + 0.999999975f;
    return p * f + exponent * 0.6931471805599453f;
}

static inline vec tanhv(vec x) { return 1.0f - 2.0f / (1.0f + exp2v(x * 2.8853900817779268f)); }

static float cut(double x) { return x < -1e30 ? -1e30 : x > 1e30 ? 1e30 : x; }

static vec *vectors(size_t n) { return aligned_alloc(64, n * sizeof(vec)); }

void population_loss(int64_t S, int64_t D, int64_t M, int64_t C, int64_t R, int64_t n_tabled, int64_t n_pairs,
                     const float *counts, const int64_t *features, const float *values, const int64_t *starts,
                     const uint32_t *left, const uint32_t *right, const double *parameters, const uint8_t *P,
                     double alpha_s, double alpha_t, const double *middle, const double *half, double *loss) {
    const int64_t n_parameters = 2 * D * M + 2 * C;
    const int64_t first_pair = 1 + starts[n_tabled], samples = first_pair + n_pairs - R;
    vec *slope = vectors(D), *offset = vectors(D), *lane_P = vectors(C), *w_t = vectors(C), *theta_t = vectors(C);
    vec *table = vectors(first_pair + n_pairs), *V = vectors(C * R), *lane_counts = vectors(C * R);
    memset(loss, 0, S * sizeof(double));
    for (int64_t first = 0, size; first < S; first += size) {
        for (size = LANES; size > S - first;) size /= 2;
        memset(V, 0, C * R * sizeof(vec));
        for (int64_t k = 0; k < (M * size + LANES - 1) / LANES; k++) {
            for (int64_t i = 0; i < D; i++)
                for (int64_t d = 0; d < LANES / size; d++) {
                    int64_t j = k * (LANES / size) + d;
                    if (j >= M) j = M - 1;
                    for (int64_t s = 0; s < size; s++) {
                        const double *row = parameters + (first + s) * n_parameters;
                        double w = row[i * M + j], theta = row[(D + i) * M + j];
                        ((float *)(slope + i))[d * size + s] = cut(-alpha_s * LOG2_E * w * half[i]);
                        ((float *)(offset + i))[d * size + s] = cut(alpha_s * LOG2_E * (theta - w * middle[i]));
                    }
                }
            for (int64_t d = 0; d < LANES / size; d++)
                for (int64_t s = 0; s < size; s++)
                    for (int64_t c = 0; c < C; c++) {
                        int64_t j = k * (LANES / size) + d;
                        ((float *)(lane_P + c))[d * size + s] = j < M ? P[j * C + c] : 0;
                    }
            table[0] = splat(1.0f);
            for (int64_t f = 0; f < n_tabled; f++) {
                vec a = slope[features[f]], b = offset[features[f]];
                for (int64_t u = starts[f]; u < starts[f + 1]; u++) table[1 + u] = 1.0f + exp2v(a * values[u] + b);
            }
            for (int64_t r = 0; r < n_pairs; r++) table[first_pair + r] = table[left[r]] * table[right[r]];
            for (int64_t f = n_tabled; f < D; f++) {
                vec a = slope[features[f]], b = offset[features[f]];
                const float *x = values + starts[f];
                for (int64_t n = 0; n < R; n++) table[samples + n] *= 1.0f + exp2v(a * x[n] + b);
            }
            for (int64_t n = 0; n < R; n++) table[samples + n] = 1.0f / minimum(table[samples + n], splat(1e15f));
            for (int64_t c = 0; c < C; c++) {
                int fed = 0;
                for (int lane = 0; lane < LANES; lane++) fed |= lane_P[c][lane] > 0;
                if (fed)
                    for (int64_t n = 0; n < R; n++) V[c * R + n] += lane_P[c] * table[samples + n];
            }
        }
        const int64_t n_rows = (R * size + LANES - 1) / LANES;
        for (int64_t c = 0; c < C; c++) {
            float *numbers = (float *)(V + c * R), *repeated = (float *)(lane_counts + c * R);
            if (size < LANES)
                for (int64_t n = 0; n < R; n++)
                    for (int64_t s = 0; s < size; s++) {
                        float total = 0;
                        for (int64_t lane = s; lane < LANES; lane += size) total += numbers[n * LANES + lane];
                        numbers[n * size + s] = total;
                    }
            if (first == 0 || size < LANES) {
                for (int64_t n = 0; n < R; n++)
                    for (int64_t s = 0; s < size; s++) repeated[n * size + s] = counts[n * C + c];
                for (int64_t n = R * size; n < n_rows * LANES; n++) repeated[n] = 0;
            }
            for (int64_t lane = 0; lane < LANES; lane++) {
                const double *row = parameters + (first + lane % size) * n_parameters + 2 * D * M;
                w_t[c][lane] = cut(alpha_t * row[c]);
                theta_t[c][lane] = cut(alpha_t * row[C + c]);
            }
        }
        for (int64_t start = 0; start < n_rows; start += 32) {
            vec partial = splat(0);
            for (int64_t n = start; n < start + 32 && n < n_rows; n++) {
                vec total = splat(0);
                for (int64_t c = 0; c < C; c++) {
                    V[c * R + n] = tanhv(w_t[c] * V[c * R + n] - theta_t[c]);
                    total += exp2v(V[c * R + n] * (float)LOG2_E);
                }
                vec log_total = logv(total);
                for (int64_t c = 0; c < C; c++) partial += lane_counts[c * R + n] * (log_total - V[c * R + n]);
            }
            for (int64_t lane = 0; lane < LANES; lane++) loss[first + lane % size] += partial[lane];
        }
    }
    free(slope), free(offset), free(lane_P), free(w_t), free(theta_t), free(table), free(V), free(lane_counts);
}
