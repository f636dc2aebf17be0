/* The operations in C: the functions of reference.py, under the same names, with the same arguments.

   One source, three builds: WebAssembly with relaxed SIMD, WebAssembly with 128-bit SIMD, and native.
   The SIMD is in the first part, a handful of small functions; after that the C is the formula.
   No function allocates, and none writes outside the arrays that it is given. Arrays are float32,
   contiguous, in the shapes of reference.py; ids are int32. */

#include <stdint.h>

#ifdef __AVX__
#define LANES 8
#else
#define LANES 4
#endif

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(4 * LANES)));
typedef int32_t integers __attribute__((vector_size(4 * LANES)));
typedef float unaligned __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* ------------------------------------------------------------------------------------- vectors */

INLINE vector load(const float *from) { return *(const unaligned *)from; }
INLINE void store(float *to, vector x) { *(unaligned *)to = x; }
INLINE vector splat(float x) { return x - (vector){}; }

/* The same, for a number that a loop uses at every turn: kept in a local, since engines make a v128.const anew wherever
   it stands, in three instructions. */
INLINE vector constant(float x) {
  vector all = splat(x);
#ifdef __wasm__
  __asm__("" : "+r"(all));
#endif
  return all;
}

INLINE vector multiply_add(vector a, vector b, vector c) {
#ifdef __wasm_relaxed_simd__
  return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#else
  return a * b + c;
#endif
}

INLINE vector choose(integers where, vector a, vector b) {
  return (vector)((where & (integers)a) | (~where & (integers)b));
}

/* The larger and the smaller; where one is NaN, the first. */
#ifdef __wasm__
INLINE vector larger(vector a, vector b) { return __builtin_wasm_pmax_f32x4(a, b); }
INLINE vector smaller(vector a, vector b) { return __builtin_wasm_pmin_f32x4(a, b); }
#else
INLINE vector larger(vector a, vector b) { return choose(a < b, b, a); }
INLINE vector smaller(vector a, vector b) { return choose(b < a, b, a); }
#endif

/* The lanes moved round by some places, so that two vectors' lanes can meet. */
#if LANES == 8
#define TURNED(x, by) \
  __builtin_shufflevector(x, x, by, 1 + by, 2 + by, 3 + by, (4 + by) % 8, (5 + by) % 8, (6 + by) % 8, (7 + by) % 8)
#else
#define TURNED(x, by) __builtin_shufflevector(x, x, by, 1 + by, (2 + by) % 4, (3 + by) % 4)
#endif

INLINE float sum_of(vector x) {
  if (LANES == 8) x += TURNED(x, 4);
  x += TURNED(x, 2);
  return x[0] + x[1];
}

INLINE float largest_of(vector x) {
  if (LANES == 8) x = larger(x, TURNED(x, 4));
  x = larger(x, TURNED(x, 2));
  return larger(x, TURNED(x, 1))[0];
}

/* A vector whose first `count` lanes come from memory, the others being `rest`. */
INLINE vector load_part(const float *from, int64_t count, float rest) {
  vector x = splat(rest);
  for (int i = 0; i < LANES; i++)
    if (i < count) x[i] = from[i];
  return x;
}

INLINE void store_part(float *to, vector x, int64_t count) {
  for (int i = 0; i < LANES; i++)
    if (i < count) to[i] = x[i];
}

/* e^x with a relative error below 2e-6 (4e-6 where products are rounded before they are added), and 0 below -69, where
   it would only lead to numbers too small for float32's full precision, which processors are slow at. It is 2^n 2^f with
   the whole number n nearest to x / ln 2 and |f| <= 1/2: a polynomial for 2^f (fitted for the least relative error), and
   n added to its exponent. */
INLINE vector exponential(vector x) {
  const vector round = constant(12582912.0f), per_octave = constant(1.44269504f);
  vector bounded = smaller(larger(x, constant(-70.0f)), constant(88.0f));
  vector shifted = multiply_add(bounded, per_octave, round);
  vector f = multiply_add(bounded, per_octave, round - shifted);
  vector p = multiply_add(constant(1.3264727e-3f), f, constant(9.6715127e-3f));
  p = multiply_add(p, f, constant(5.5507337e-2f));
  p = multiply_add(p, f, constant(2.4022242e-1f));
  p = multiply_add(p, f, constant(6.9314698e-1f));
  p = multiply_add(p, f, constant(1.0f));
  vector power = p * (vector)(((integers)shifted << 23) + (integers)constant(1.0f));
  return (vector)((integers)power & ~(x < constant(-69.0f))); /* NaN stays NaN */
}

/* -------------------------------------------------------------------------- products of matrices */

/* A tile, one row of b and one factor of a share sixteen registers, of which WebAssembly engines keep one or more. */
#ifdef __wasm__
enum { ROWS = 3 };
#else
enum { ROWS = 4 };
#endif
enum { COLUMNS = 3, PANEL = COLUMNS * LANES, DEPTH = 256 };

/* An operand, read with any strides: the next row is `down` floats away, the next column `across`. */
typedef struct {
  const float *at;
  int64_t down, across;
} matrix;

/* Where the sums start from: what is there already (or zero), plus a bias for each column, plus an array like c. */
typedef struct {
  int add;
  const float *bias, *residual;
} start;

INLINE matrix from_row(matrix x, int64_t row) { return (matrix){x.at + row * x.down, x.down, x.across}; }
INLINE matrix from_column(matrix x, int64_t column) { return (matrix){x.at + column * x.across, x.down, x.across}; }
INLINE start from_cell(start from, int64_t row, int64_t width, int64_t column) {
  int64_t at = row * width + column;
  return (start){from.add, from.bias ? from.bias + column : 0, from.residual ? from.residual + at : 0};
}

/* One tile of c, `rows` by `columns` vectors, kept in registers while k runs: a (rows, depth) times b (depth, ...),
   whose rows are contiguous. `rows` and `columns` are constants wherever this is called, so the loops unroll. */
INLINE void tile(int rows, int columns, int64_t depth, matrix a, matrix b, float *c, int64_t width, start from) {
  vector sums[ROWS][COLUMNS];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      sums[i][j] = from.add ? load(c + i * width + j * LANES) : (vector){};
      if (from.bias) sums[i][j] += load(from.bias + j * LANES);
      if (from.residual) sums[i][j] += load(from.residual + i * width + j * LANES);
    }
  for (int64_t k = 0; k < depth; k++) {
    vector row[COLUMNS];
    for (int j = 0; j < columns; j++) row[j] = load(b.at + j * LANES);
    for (int i = 0; i < rows; i++) {
      vector factor = splat(a.at[i * a.down]);
      for (int j = 0; j < columns; j++) sums[i][j] = multiply_add(factor, row[j], sums[i][j]);
    }
    a.at += a.across;
    b.at += b.down;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) store(c + i * width + j * LANES, sums[i][j]);
}

INLINE void tiles(int columns, int64_t m, int64_t depth, matrix a, matrix b, float *c, int64_t width, start from) {
  int64_t i = 0;
  for (; i + ROWS <= m; i += ROWS) tile(ROWS, columns, depth, from_row(a, i), b, c + i * width, width, from_cell(from, i, width, 0));
  for (; i < m; i++) tile(1, columns, depth, from_row(a, i), b, c + i * width, width, from_cell(from, i, width, 0));
}

/* All m rows of a panel of c that is 1 to 3 vectors wide. */
static void panel(int columns, int64_t m, int64_t depth, matrix a, matrix b, float *c, int64_t width, start from) {
  if (columns == 3) tiles(3, m, depth, a, b, c, width, from);
  if (columns == 2) tiles(2, m, depth, a, b, c, width, from);
  if (columns == 1) tiles(1, m, depth, a, b, c, width, from);
}

/* The last columns of c, fewer than a vector: b is padded to a whole one, and so is c, in a corner of its own. */
static void edge(int columns, int64_t m, int64_t depth, matrix a, matrix b, float *c, int64_t width, start from) {
  for (int64_t i = 0; i < m; i += ROWS) {
    int64_t rows = m - i < ROWS ? m - i : ROWS;
    float corner[ROWS * LANES] = {0};
    for (int64_t r = 0; r < rows; r++)
      for (int j = 0; j < columns; j++) {
        int64_t at = (i + r) * width + j;
        corner[r * LANES + j] = (from.add ? c[at] : 0) + (from.bias ? from.bias[j] : 0) + (from.residual ? from.residual[at] : 0);
      }
    panel(1, rows, depth, from_row(a, i), b, corner, LANES, (start){.add = 1});
    for (int64_t r = 0; r < rows; r++)
      for (int j = 0; j < columns; j++) c[(i + r) * width + j] = corner[r * LANES + j];
  }
}

/* c (m, n), whose rows are `width` apart, from a (m, k) times b (k, n). It goes panel by panel of b's columns, so that
   a panel stays in the cache while all rows of a pass it. b is read in place where its rows are contiguous; where they
   are not, and for the last few columns, the panel is packed first. */
static void product(int64_t m, int64_t n, int64_t k, matrix a, matrix b, float *c, int64_t width, start from) {
  float packed[DEPTH * PANEL];
  for (int64_t top = 0; top < k; top += DEPTH) {
    int64_t depth = k - top < DEPTH ? k - top : DEPTH;
    for (int64_t left = 0; left < n; left += PANEL) {
      int columns = n - left < PANEL ? n - left : PANEL, whole = columns / LANES, rest = columns % LANES;
      matrix a_here = from_column(a, top), b_here = from_row(from_column(b, left), top);
      start here = from_cell(from, 0, width, left);
      if (top > 0) here = (start){.add = 1};
      if (b.across != 1 || rest) {
        int padded = (whole + (rest > 0)) * LANES;
        for (int64_t row = 0; row < depth; row++) {
          const float *source = b_here.at + row * b.down;
          float *target = packed + row * padded;
          for (int j = 0; j < columns; j++) target[j] = source[j * b.across];
          for (int j = columns; j < padded; j++) target[j] = 0;
        }
        b_here = (matrix){packed, padded, 1};
      }
      panel(whole, m, depth, a_here, b_here, c + left, width, here);
      if (rest)
        edge(rest, m, depth, a_here, from_column(b_here, whole * LANES), c + left + whole * LANES, width,
             from_cell(here, 0, width, whole * LANES));
    }
  }
}

/* Loops over `n` floats, a vector at a time: the body sees `i`, and GET and PUT, which load and store what is left of a
   vector at the end. The body stands here twice, so that in the loop itself no vector is a part. */
#define EACH_VECTOR(i, n, ...) \
  do { \
    int64_t i = 0; \
    for (; i <= (n) - LANES; i += LANES) { \
      enum { whole_ = 1, left_ = LANES }; \
      __VA_ARGS__ \
    } \
    if (i < (n)) { \
      enum { whole_ = 0 }; \
      const int64_t left_ = (n) - i; \
      __VA_ARGS__ \
    } \
  } while (0)
#define GET(from, rest) (whole_ ? load(from) : load_part(from, left_, rest))
#define PUT(to, x) (whole_ ? store(to, x) : store_part(to, x, left_))

/* --------------------------------------------------------------------------------- operations */

EXPORT void embedding(float *out, const float *table, const int32_t *ids, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; i++)
    EACH_VECTOR(j, d, PUT(out + i * d + j, GET(table + ids[i] * d + j, 0)););
}

EXPORT void embedding_backward(float *dtable, const float *dout, const int32_t *ids, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < d; j++) dtable[ids[i] * d + j] += dout[i * d + j];
}

EXPORT void unembedding(float *out, const float *x, const float *table, int64_t n, int64_t d, int64_t v) {
  product(n, v, d, (matrix){x, d, 1}, (matrix){table, 1, d}, out, v, (start){});
}

EXPORT void unembedding_backward(float *dx, float *dtable, const float *dout, const float *x, const float *table, int64_t n,
                                 int64_t d, int64_t v) {
  product(n, d, v, (matrix){dout, v, 1}, (matrix){table, d, 1}, dx, d, (start){});
  product(v, d, n, (matrix){dout, 1, v}, (matrix){x, d, 1}, dtable, d, (start){.add = 1});
}

EXPORT void linear(float *out, const float *x, const float *weight, const float *bias, const float *residual, int64_t n,
                   int64_t k, int64_t m) {
  product(n, m, k, (matrix){x, k, 1}, (matrix){weight, m, 1}, out, m, (start){.bias = bias, .residual = residual});
}

EXPORT void linear_backward(float *dx, float *dweight, float *dbias, const float *dout, const float *x, const float *weight,
                            int64_t n, int64_t k, int64_t m) {
  product(n, k, m, (matrix){dout, m, 1}, (matrix){weight, 1, m}, dx, k, (start){});
  product(k, m, n, (matrix){x, 1, k}, (matrix){dout, m, 1}, dweight, m, (start){.add = 1});
  const float one = 1;
  product(1, m, n, (matrix){&one, 0, 0}, (matrix){dout, m, 1}, dbias, m, (start){.add = 1});
}

INLINE float square_root(float x) { return __builtin_sqrtf(x); }

EXPORT void layer_norm(float *out, float *mean, float *rstd, const float *x, const float *gain, const float *shift, float epsilon,
                       int64_t n, int64_t d) {
  for (int64_t row = 0; row < n; row++, x += d, out += d) {
    vector total = {}, squares = {};
    EACH_VECTOR(i, d, total += GET(x + i, 0););
    float average = sum_of(total) / d;
    EACH_VECTOR(i, d, {
      vector centred = GET(x + i, average) - average;
      squares = multiply_add(centred, centred, squares);
    });
    float scale = 1 / square_root(sum_of(squares) / d + epsilon);
    EACH_VECTOR(i, d, PUT(out + i, multiply_add((GET(x + i, 0) - average) * scale, GET(gain + i, 0), GET(shift + i, 0))););
    mean[row] = average;
    rstd[row] = scale;
  }
}

EXPORT void layer_norm_backward(float *dx, float *dgain, float *dshift, const float *dout, const float *x, const float *mean,
                                const float *rstd, const float *gain, int64_t n, int64_t d) {
  for (int64_t row = 0; row < n; row++, x += d, dx += d, dout += d) {
    vector total = {}, along = {};
    EACH_VECTOR(i, d, {
      vector normal = (GET(x + i, mean[row]) - mean[row]) * rstd[row], arrived = GET(dout + i, 0);
      vector dnormal = arrived * GET(gain + i, 0);
      total += dnormal;
      along = multiply_add(dnormal, normal, along);
      PUT(dgain + i, multiply_add(arrived, normal, GET(dgain + i, 0)));
      PUT(dshift + i, arrived + GET(dshift + i, 0));
    });
    float average = sum_of(total) / d, slope = sum_of(along) / d;
    EACH_VECTOR(i, d, {
      vector normal = (GET(x + i, 0) - mean[row]) * rstd[row];
      vector arrived = GET(dout + i, 0) * GET(gain + i, 0) - average - normal * slope;
      PUT(dx + i, multiply_add(arrived, splat(rstd[row]), GET(dx + i, 0)));
    });
  }
}

/* 1 + e^-2u with u = sqrt(2 / pi) (x + 0.044715 x^3): GELU divides x by it, since 1 over it is (1 + tanh u) / 2. */
INLINE vector inverse_gate(vector x) {
  return constant(1.0f) + exponential(x * multiply_add(x * x, constant(-0.0713548163f), constant(-1.59576912f)));
}

EXPORT void gelu(float *out, const float *x, int64_t n) {
  EACH_VECTOR(i, n, {
    vector here = GET(x + i, 0);
    PUT(out + i, here / inverse_gate(here));
  });
}

EXPORT void gelu_backward(float *dx, const float *dout, const float *x, int64_t n) {
  EACH_VECTOR(i, n, {
    vector here = GET(x + i, 0), open = constant(1.0f) / inverse_gate(here);
    vector slope = multiply_add(here * here, constant(0.214064449f), constant(1.59576912f));
    PUT(dx + i, GET(dout + i, 0) * multiply_add(here * open * (constant(1.0f) - open), slope, open));
  });
}

/* Queries and keys (the first two of three) of qkv (b, t, 3, heads, 2 * half), turned by sign * angle. */
EXPORT void rotate(float *qkv, const float *cosine, const float *sine, float sign, int64_t b, int64_t t, int64_t heads, int64_t half) {
  for (int64_t row = 0; row < b * t; row++)
    for (int64_t head = 0; head < 2 * heads; head++) {
      float *first = qkv + (row * 3 * heads + head) * 2 * half, *second = first + half;
      const float *c = cosine + row % t * half, *s = sine + row % t * half;
      for (int64_t k = 0; k < half; k++) {
        float x = first[k], y = second[k];
        first[k] = x * c[k] - y * s[k] * sign;
        second[k] = x * s[k] * sign + y * c[k];
      }
    }
}

/* The first n numbers of a row, and those behind them up to a whole vector, as far as the row goes. */
INLINE int64_t whole_vectors(int64_t n, int64_t all) {
  int64_t whole = (n + LANES - 1) / LANES * LANES;
  return whole < all ? whole : all;
}

INLINE vector first_lanes(vector x, int64_t count, float rest) {
  integers lane;
  for (int i = 0; i < LANES; i++) lane[i] = i;
  return choose(lane < (int32_t)count, x, splat(rest));
}

/* Softmax of the first `n` of `all` scores, in place; the others become 0. */
static void softmax(float *x, int64_t n, int64_t all, float scale, const float *bias) {
  const float lowest = -3.4e38f;
  vector most = splat(lowest), total = {};
  int64_t end = whole_vectors(n, all);
  EACH_VECTOR(i, end, {
    vector score = GET(x + i, 0) * scale;
    if (bias) score += GET(bias + i, 0);
    score = first_lanes(score, n - i, lowest);
    PUT(x + i, score);
    most = larger(most, score);
  });
  float largest = largest_of(most);
  EACH_VECTOR(i, end, {
    vector power = exponential(GET(x + i, lowest) - largest);
    PUT(x + i, power);
    total += power;
  });
  float share = 1 / sum_of(total);
  EACH_VECTOR(i, end, PUT(x + i, GET(x + i, 0) * share););
  EACH_VECTOR(i, all - end, PUT(x + end + i, (vector){}););
}

/* One sequence and one head at a time, so that its scores stay in the cache. A causal query i needs the keys 0 to i,
   so what lies behind the diagonal is skipped, a panel of keys or a block of queries at a time. */
enum { BLOCK = 12 };

EXPORT void attention(float *out, float *weights, const float *qkv, const float *bias, int64_t causal, int64_t b, int64_t t,
                      int64_t heads, int64_t size) {
  int64_t d = heads * size, row = 3 * d;
  float scale = 1 / square_root(size);
  for (int64_t sequence = 0; sequence < b; sequence++)
    for (int64_t head = 0; head < heads; head++, weights += t * t) {
      const float *q = qkv + sequence * t * row + head * size, *k = q + d, *v = k + d;
      float *to = out + sequence * t * d + head * size;
      for (int64_t j = 0; j < t; j += PANEL) {
        int64_t first = causal ? j / ROWS * ROWS : 0, width = t - j < PANEL ? t - j : PANEL;
        product(t - first, width, size, (matrix){q + first * row, row, 1}, (matrix){k + j * row, 1, row},
                weights + first * t + j, t, (start){});
      }
      for (int64_t i = 0; i < t; i++)
        softmax(weights + i * t, causal ? i + 1 : t, t, scale, bias ? bias + (head * t + i) * t : 0);
      for (int64_t i = 0; i < t; i += BLOCK) {
        int64_t rows = t - i < BLOCK ? t - i : BLOCK;
        product(rows, size, causal ? i + rows : t, (matrix){weights + i * t, t, 1}, (matrix){v, row, 1}, to + i * d, d, (start){});
      }
    }
}

/* `scores` (t, t) is room for one head. */
EXPORT void attention_backward(float *dqkv, float *dbias, float *scores, const float *dout, const float *weights, const float *qkv,
                               int64_t causal, int64_t b, int64_t t, int64_t heads, int64_t size) {
  int64_t d = heads * size, row = 3 * d;
  float scale = 1 / square_root(size);
  for (int64_t sequence = 0; sequence < b; sequence++)
    for (int64_t head = 0; head < heads; head++, weights += t * t) {
      int64_t at = sequence * t * row + head * size;
      const float *q = qkv + at, *k = q + d, *v = k + d, *arrived = dout + sequence * t * d + head * size;
      float *dq = dqkv + at, *dk = dq + d, *dv = dk + d;
      for (int64_t j = 0; j < t; j += PANEL) {
        int64_t first = causal ? j / ROWS * ROWS : 0, width = t - j < PANEL ? t - j : PANEL;
        product(t - first, width, size, (matrix){arrived + first * d, d, 1}, (matrix){v + j * row, 1, row},
                scores + first * t + j, t, (start){});
      }
      for (int64_t i = 0; i < t; i++) {
        float *score = scores + i * t;
        const float *weight = weights + i * t;
        int64_t n = causal ? whole_vectors(i + 1, t) : t; /* behind the diagonal the weights are 0 */
        vector along = {};
        EACH_VECTOR(j, n, along = multiply_add(GET(score + j, 0), GET(weight + j, 0), along););
        float mean = sum_of(along);
        EACH_VECTOR(j, n, {
          vector dscore = (GET(score + j, 0) - mean) * GET(weight + j, 0);
          if (dbias) PUT(dbias + (head * t + i) * t + j, dscore + GET(dbias + (head * t + i) * t + j, 0));
          PUT(score + j, dscore * scale);
        });
        EACH_VECTOR(j, t - n, PUT(score + n + j, (vector){}););
      }
      for (int64_t i = 0; i < t; i += BLOCK) {
        int64_t rows = t - i < BLOCK ? t - i : BLOCK, first = causal ? i : 0, past = causal ? i + rows : t;
        product(rows, size, past, (matrix){scores + i * t, t, 1}, (matrix){k, row, 1}, dq + i * row, row, (start){});
        product(rows, size, t - first, (matrix){scores + first * t + i, 1, t}, (matrix){q + first * row, row, 1}, dk + i * row, row,
                (start){});
        product(rows, size, t - first, (matrix){weights + first * t + i, 1, t}, (matrix){arrived + first * d, d, 1}, dv + i * row, row,
                (start){});
      }
    }
}

/* The natural logarithm to float32 rounding, of a positive number: x = m 2^n with m near 1, and Cephes' polynomial
   for ln m (Moshier 1989). */
static float logarithm(float x) {
  union {
    float real;
    int32_t bits;
  } number = {x};
  int32_t n = ((number.bits - 0x3f3504f3) >> 23); /* so that m lies between sqrt(1/2) and sqrt(2) */
  number.bits -= n << 23;
  float m = number.real - 1, z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  float log = m * z * p - 2.12194440e-4f * n - 0.5f * z + m + 0.693359375f * n;
  return x == x ? log : x;
}

EXPORT void cross_entropy(float *losses, float *probabilities, const float *logits, const int32_t *targets, int64_t n, int64_t v) {
  for (int64_t row = 0; row < n; row++, logits += v, probabilities += v) {
    vector most = splat(-3.4e38f), total = {};
    EACH_VECTOR(i, v, most = larger(most, GET(logits + i, -3.4e38f)););
    float largest = largest_of(most);
    EACH_VECTOR(i, v, {
      PUT(probabilities + i, exponential(GET(logits + i, -3.4e38f) - largest));
      total += GET(probabilities + i, 0);
    });
    float sum = sum_of(total), share = 1 / sum;
    EACH_VECTOR(i, v, PUT(probabilities + i, GET(probabilities + i, 0) * share););
    losses[row] = largest - logits[targets[row]] + logarithm(sum);
  }
}

EXPORT void cross_entropy_backward(float *dlogits, const float *probabilities, const int32_t *targets, int64_t n, int64_t v) {
  float share = 1.0f / n;
  EACH_VECTOR(i, n * v, PUT(dlogits + i, GET(probabilities + i, 0) * share););
  for (int64_t row = 0; row < n; row++) dlogits[row * v + targets[row]] -= share;
}

EXPORT void adamw(float *parameters, const float *gradients, float *mean, float *square, float rate, float decay, float beta1,
                  float beta2, float correction1, float correction2, float epsilon, int64_t n) {
  EACH_VECTOR(i, n, {
    vector g = GET(gradients + i, 0), m = GET(mean + i, 0), s = GET(square + i, 0);
    m = multiply_add(g - m, splat(1 - beta1), m);
    s = multiply_add(g * g - s, splat(1 - beta2), s);
    m = choose(m * m < splat(1e-36f), (vector){}, m); /* a gradient of 0 lets the averages fade: end that at 0 */
    s = choose(s < splat(1e-36f), (vector){}, s);
    PUT(mean + i, m);
    PUT(square + i, s);
    vector root, inside = s * correction2;
    for (int j = 0; j < LANES; j++) root[j] = square_root(inside[j]);
    PUT(parameters + i, GET(parameters + i, 0) * decay - m * (rate * correction1) / (root + epsilon));
  });
}
