// Operations of `portable` that a GPU computes in one pass over memory: softmax, rotation of heads, gates, copies. They
// compute in f32 and round once, like the equivalent tensor operations in `kernels.rs`.
//
// A C++ compiler can also compile this file: a block is then one thread, and `main` at its end computes an operation
// read from standard input, so that the arithmetic can be compared with those operations on a machine without a GPU.

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef __nv_bfloat16 bf16;
typedef __half f16;

static __device__ float value(float x) { return x; }
static __device__ float value(bf16 x) { return __bfloat162float(x); }
static __device__ float value(f16 x) { return __half2float(x); }
static __device__ void round_to(float *to, float x) { *to = x; }
static __device__ void round_to(bf16 *to, float x) { *to = __float2bfloat16_rn(x); }
static __device__ void round_to(f16 *to, float x) { *to = __float2half_rn(x); }

#define BLOCK ((size_t)blockIdx.x)
#define GRID ((size_t)gridDim.x)
#define THREAD (threadIdx.x)
#define THREADS (blockDim.x)
#define UNROLL _Pragma("unroll")
#else
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct bf16 { uint16_t bits; };
typedef _Float16 f16;

static float value(float x) { return x; }
static float value(f16 x) { return (float)x; }
static float value(bf16 x) {
    uint32_t bits = (uint32_t)x.bits << 16;
    float result;
    memcpy(&result, &bits, 4);
    return result;
}
static void round_to(float *to, float x) { *to = x; }
static void round_to(f16 *to, float x) { *to = (f16)x; }
static void round_to(bf16 *to, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bool nan = x != x;
    to->bits = nan ? 0x7fff : (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#define __device__
#define __global__
#define __restrict__
static size_t BLOCK;
#define GRID 1
#define THREAD 0
#define THREADS 1
#define UNROLL
#endif

// Scores of a row that a thread keeps between its passes over them.
#ifdef __CUDACC__
#define HELD 16
#else
#define HELD 4096
#endif

template <typename T, int N>
struct alignas(N * sizeof(T)) Pack {
    T of[N];
};

struct Most {
    static __device__ float of(float one, float other) { return fmaxf(one, other); }
};
struct Sum {
    static __device__ float of(float one, float other) { return one + other; }
};

// Block-wide reduction, in the same order in every run; every thread gets the result.
template <typename Of>
static __device__ float reduced(float x) {
#ifdef __CUDACC__
    __shared__ float of_warps[32];
    for (int apart = 16; apart > 0; apart /= 2) x = Of::of(x, __shfl_xor_sync(0xffffffff, x, apart));
    __syncthreads();
    if (THREAD % 32 == 0) of_warps[THREAD / 32] = x;
    __syncthreads();
    x = of_warps[0];
    for (unsigned warp = 1; warp < THREADS / 32; warp++) x = Of::of(x, of_warps[warp]);
#endif
    return x;
}

// Results rounded to 16 bits use the exponential of the special function units, with a relative error of at most 3e-6.
static __device__ float share(float x, const float *) { return expf(x); }
template <typename T>
static __device__ float share(float x, const T *) {
#ifdef __CUDACC__
    return __expf(x);
#else
    return expf(x);
#endif
}

// softmax(capped scores + mask) of one row of `(heads, queries, width)` per block, N columns at a time; the mask is
// `(queries, width)`, or absent if `queries` is 0.
template <typename T, int N>
static __device__ void softmax_of_packs(const float *__restrict__ scores, const float *__restrict__ mask, T *__restrict__ weights,
                               unsigned queries, unsigned width, float cap) {
    typedef Pack<float, N> Columns;
    const unsigned packs = width / N;
    const Columns *of_scores = (const Columns *)(scores + BLOCK * width);
    const Columns *of_mask = (const Columns *)(queries ? mask + (BLOCK % queries) * width : mask);
    Pack<T, N> *of_weights = (Pack<T, N> *)(weights + BLOCK * width);
    auto masked = [&](unsigned at) {
        Columns found = of_scores[at];
        if (cap > 0) {
            for (int column = 0; column < N; column++) found.of[column] = cap * tanhf(found.of[column]);
        }
        if (queries) {
            Columns seen = of_mask[at];
            for (int column = 0; column < N; column++) found.of[column] += seen.of[column];
        }
        return found;
    };
    Columns held[HELD / N];
    const bool hold = packs <= HELD / N * THREADS;
    float most = -INFINITY;
    auto largest = [&](const Columns &found) {
        for (int column = 0; column < N; column++) most = fmaxf(most, found.of[column]);
    };
    if (hold) {
        UNROLL
        for (unsigned pack = 0; pack < HELD / N; pack++) {
            unsigned at = pack * THREADS + THREAD;
            if (at < packs) largest(held[pack] = masked(at));
        }
    } else {
        for (unsigned at = THREAD; at < packs; at += THREADS) largest(masked(at));
    }
    most = reduced<Most>(most);
    float sum = 0;
    auto shared = [&](Columns &found) {
        for (int column = 0; column < N; column++) sum += found.of[column] = share(found.of[column] - most, weights);
    };
    if (hold) {
        UNROLL
        for (unsigned pack = 0; pack < HELD / N; pack++) {
            if (pack * THREADS + THREAD < packs) shared(held[pack]);
        }
    } else {
        for (unsigned at = THREAD; at < packs; at += THREADS) {
            Columns found = masked(at);
            shared(found);
        }
    }
    const float part = 1 / reduced<Sum>(sum);
    auto write = [&](unsigned at, const Columns &found) {
        Pack<T, N> result;
        for (int column = 0; column < N; column++) round_to(&result.of[column], found.of[column] * part);
        of_weights[at] = result;
    };
    if (hold) {
        UNROLL
        for (unsigned pack = 0; pack < HELD / N; pack++) {
            unsigned at = pack * THREADS + THREAD;
            if (at < packs) write(at, held[pack]);
        }
    } else {
        for (unsigned at = THREAD; at < packs; at += THREADS) {
            Columns found = masked(at);
            for (int column = 0; column < N; column++) found.of[column] = share(found.of[column] - most, weights);
            write(at, found);
        }
    }
}

template <typename T>
static __device__ void softmax(const float *scores, const float *mask, T *weights, unsigned queries, unsigned width, float cap) {
    if (width % 4 == 0) softmax_of_packs<T, 4>(scores, mask, weights, queries, width, cap);
    else softmax_of_packs<T, 1>(scores, mask, weights, queries, width, cap);
}

// Heads of one token per block, rotated by the token's angles: rows of `x` are `stride` apart, those of `turned` are
// contiguous. The two columns of a pair are adjacent or `pairs` apart; columns after all pairs are unchanged.
template <typename In, typename T>
static __device__ void rotated(const In *__restrict__ x, const float *__restrict__ cosines, const float *__restrict__ sines,
                               T *__restrict__ turned, size_t stride, unsigned heads, unsigned size, unsigned pairs,
                               bool side_by_side) {
    x += BLOCK * stride;
    turned += BLOCK * heads * size;
    cosines += BLOCK * pairs;
    sines += BLOCK * pairs;
    const unsigned still = size - 2 * pairs, of_head = pairs + still;
    for (unsigned at = THREAD; at < heads * of_head; at += THREADS) {
        const unsigned head = at / of_head * size, place = at % of_head;
        if (place < pairs) {
            const unsigned first = head + (side_by_side ? 2 * place : place), second = first + (side_by_side ? 1 : pairs);
            const float one = value(x[first]), other = value(x[second]), c = cosines[place], s = sines[place];
            round_to(turned + first, one * c - other * s);
            round_to(turned + second, one * s + other * c);
        } else {
            const unsigned column = head + pairs + place;
            round_to(turned + column, value(x[column]));
        }
    }
}

static __device__ float silu(float x) { return x / (1 + expf(-x)); }
static __device__ float gelu_tanh(float x) {
    const float root = 0.797884560802865355879892119869f;  // sqrt(2 / pi)
    return 0.5f * x * (1 + tanhf(root * x * (1 + 0.044715f * x * x)));
}

// activation(gate) * up of one row `(gate, up)` of 2 * width per block, N columns at a time.
template <typename T, int N>
static __device__ void gated_packs(const T *__restrict__ gate_up, T *__restrict__ product, unsigned width, bool tanh) {
    typedef Pack<T, N> Columns;
    const Columns *gates = (const Columns *)(gate_up + BLOCK * 2 * width), *ups = gates + width / N;
    Columns *products = (Columns *)(product + BLOCK * width);
    for (unsigned at = THREAD; at < width / N; at += THREADS) {
        Columns gate = gates[at], up = ups[at], result;
        for (int column = 0; column < N; column++) {
            float x = value(gate.of[column]);
            round_to(&result.of[column], (tanh ? gelu_tanh(x) : silu(x)) * value(up.of[column]));
        }
        products[at] = result;
    }
}

template <typename T>
static __device__ void gated(const T *gate_up, T *product, unsigned width, bool tanh) {
    if (width % 8 == 0) gated_packs<T, 16 / sizeof(T)>(gate_up, product, width, tanh);
    else gated_packs<T, 1>(gate_up, product, width, tanh);
}

// Contiguous copy `(rows, others, width)` of an input with these strides between rows and others.
template <typename T, int N>
static __device__ void copied(const T *__restrict__ x, T *__restrict__ copy, unsigned rows, unsigned others, unsigned width,
                              size_t of_row, size_t of_other) {
    typedef Pack<T, N> Columns;
    const unsigned packs = width / N;
    for (size_t at = BLOCK * THREADS + THREAD; at < (size_t)rows * others * packs; at += GRID * THREADS) {
        const size_t row = at / packs;
        const T *from = x + row / others * of_row + row % others * of_other;
        ((Columns *)copy)[at] = ((const Columns *)from)[at % packs];
    }
}

#ifdef __CUDACC__
#define KERNELS(T)                                                                                                     \
    extern "C" __global__ void softmax_##T(const float *scores, const float *mask, T *weights, unsigned queries,      \
                                           unsigned width, float cap) {                                                \
        softmax(scores, mask, weights, queries, width, cap);                                                           \
    }                                                                                                                  \
    extern "C" __global__ void gate_##T(const T *gate_up, T *product, unsigned width, unsigned tanh) {                 \
        gated(gate_up, product, width, tanh);                                                                          \
    }                                                                                                                  \
    extern "C" __global__ void copy_##T(const T *x, T *copy, unsigned rows, unsigned others, unsigned width,           \
                                        size_t of_row, size_t of_other) {                                              \
        copied<T, 16 / sizeof(T)>(x, copy, rows, others, width, of_row, of_other);                                     \
    }
#define ROTATION(In, T)                                                                                                \
    extern "C" __global__ void rotate_##In##_##T(const In *x, const float *cosines, const float *sines, T *turned,    \
                                                 size_t stride, unsigned heads, unsigned size, unsigned pairs,        \
                                                 unsigned side_by_side) {                                              \
        rotated(x, cosines, sines, turned, stride, heads, size, pairs, side_by_side);                                  \
    }

typedef float f32;
KERNELS(f32)
KERNELS(bf16)
KERNELS(f16)
ROTATION(f32, f32)
ROTATION(f32, bf16)
ROTATION(f32, f16)
ROTATION(bf16, bf16)
ROTATION(f16, f16)
#else
// An operation (0 for a softmax, 1 for a gate, 2 for a rotation, 3 for a copy) and its sizes; the operands follow.
struct Asked {
    uint32_t kind, rows, queries, width, pairs, other;
    float cap;
};

template <typename T>
static std::vector<T> read(size_t count) {
    std::vector<T> values(count);
    if (fread(values.data(), sizeof(T), count, stdin) != count) exit(2);
    return values;
}

template <typename T>
static void compute(const Asked &asked) {
    std::vector<T> result(asked.rows * (size_t)asked.width);
    if (asked.kind == 0) {
        std::vector<float> scores = read<float>(result.size()), mask = read<float>(asked.queries * (size_t)asked.width);
        for (BLOCK = 0; BLOCK < asked.rows; BLOCK++) {
            softmax(scores.data(), mask.data(), result.data(), asked.queries, asked.width, asked.cap);
        }
    } else if (asked.kind == 1) {
        std::vector<T> gate_up = read<T>(2 * result.size());
        for (BLOCK = 0; BLOCK < asked.rows; BLOCK++) {
            gated(gate_up.data(), result.data(), asked.width, asked.other);
        }
    } else if (asked.kind == 3) {
        std::vector<T> x = read<T>(result.size());
        const size_t columns = asked.width / asked.queries;
        copied<T, 1>(x.data(), result.data(), asked.queries, asked.rows, columns, columns, asked.width);
    } else {
        std::vector<T> x = read<T>(result.size());
        std::vector<float> cosines = read<float>(asked.rows * (size_t)asked.pairs);
        std::vector<float> sines = read<float>(cosines.size());
        for (BLOCK = 0; BLOCK < asked.rows; BLOCK++) {
            rotated(x.data(), cosines.data(), sines.data(), result.data(), asked.width, asked.queries,
                    asked.width / asked.queries, asked.pairs, asked.other);
        }
    }
    fwrite(result.data(), sizeof(T), result.size(), stdout);
}

int main(int count, char **types) {
    if (count != 2) return 2;
    Asked asked = read<Asked>(1)[0];
    if (!strcmp(types[1], "bf16")) compute<bf16>(asked);
    else if (!strcmp(types[1], "f16")) compute<f16>(asked);
    else compute<float>(asked);
}
#endif
