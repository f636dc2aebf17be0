/* The most fused multiply-adds that one core does in the tab: a loop that touches no memory. */
#include <stdint.h>

typedef float vector __attribute__((vector_size(16)));

#define REPEAT_12(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)
#define DECLARE(i) vector sum##i = {i, i, i, i};
#define MULTIPLY_ADD(i) sum##i = __builtin_wasm_relaxed_madd_f32x4(sum##i, factor, term);
#define ADD_UP(i) total += sum##i;

/* Floating-point operations of one turn of the loop: 12 sums of 4 numbers, 8 times, 2 operations each. */
__attribute__((export_name("flops_per_turn"))) int32_t flops_per_turn(void) { return 12 * 4 * 8 * 2; }

/* Twelve sums, more than the latency of the operation times the units that do it, so no unit waits. */
__attribute__((export_name("turn"))) float turn(int32_t turns, float by) {
  const vector factor = {by, by, by, by}, term = {1 - by, 1 - by, 1 - by, 1 - by};
  REPEAT_12(DECLARE)
  for (int32_t i = 0; i < turns; i++) {
#pragma clang loop unroll(full)
    for (int repeat = 0; repeat < 8; repeat++) {
      REPEAT_12(MULTIPLY_ADD)
    }
  }
  vector total = {0, 0, 0, 0};
  REPEAT_12(ADD_UP)
  return total[0] + total[1] + total[2] + total[3];
}
