// Functions that promise to be pure or const, inline and weak ones, constructors, tail calls, aliases, statics.
#include <stdio.h>
static int table[100]; static int ready;
__attribute__((constructor)) static void fill(void) { for (int i = 0; i < 100; i++) table[i] = i * i; ready = 1; }
__attribute__((destructor)) static void done(void) { printf("done %d\n", ready); }
__attribute__((pure, noinline)) static int look(int i) { return table[i % 100]; }
__attribute__((const, noinline)) static int square(int i) { return i * i; }
__attribute__((weak)) int weak(void) { return 5; }
static inline __attribute__((always_inline)) int fast(int i) { return look(i) + square(i); }
int original(int x) { static int calls; calls += x; return calls; } int other(int x) __attribute__((alias("original")));
static int even(unsigned n); static int odd(unsigned n) { if (n == 0) return 0; __attribute__((musttail)) return even(n - 1); } static int even(unsigned n) { table[0]++; if (n == 0) return 1; __attribute__((musttail)) return odd(n - 1); }
__attribute__((optnone)) static int slow(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i]; return s; }
static int same(int n, int *restrict a, int *restrict b) { for (int i = 0; i < n; i++) a[i] += b[i]; return a[n - 1]; }
int main(void) {
  int s = 0; for (int i = 0; i < 200; i++) s += fast(i) - look(i) + look(i);
  printf("%d %d %d %d %d %d\n", s, weak(), original(3), other(4), even(100001), slow(50)); printf("%d %d\n", same(50, table, table + 50), table[0]);
}
