//! flags: -lm
// Vector types, loops that clang makes vectors of, complex numbers, wide structures.
#include <complex.h>
#include <math.h>
#include <stdio.h>
typedef int v4 __attribute__((vector_size(16))); typedef float v2 __attribute__((vector_size(8))); typedef _Bool b8 __attribute__((ext_vector_type(8)));
v4 one = {1, 2, 3, 4}, two; v2 small = {1.5f, 2.5f}; float xs[257], ys[257]; double complex z = 1 + 2 * I;
static float dot(const float *a, const float *b, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
int main(void) {
  two = one * one + (v4){1, 1, 1, 1}; one[2] = two[3]; small *= 2; z *= z; for (int i = 0; i < 257; i++) { xs[i] = (float)(i % 7); ys[i] = (float)(i % 5); }
  for (int i = 0; i < 256; i++) xs[i + 1] = xs[i] + ys[i]; unsigned long hash = 0; for (int i = 0; i < 257; i++) hash = hash * 31 + (unsigned long)xs[i];
  printf("%d %d %d %.1f %.1f %.1f %.1f %lu %.3f\n", two[0], two[3], one[2], small[0], small[1], creal(z), cimag(z), hash, sqrt(dot(ys, ys, 257)));
}
