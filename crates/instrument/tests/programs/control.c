// goto, computed goto, switch with ranges and fall through, Duff's device, variable-length arrays, recursion, function pointers.
#include <stdio.h>
#include <string.h>
static int trace[64], used;
static void note(int x) { if (used < 64) trace[used++] = x; }
static int machine(const char *code) {
  static void *labels[] = {&&add, &&twice, &&stop};
  int acc = 1; const char *pc = code;
  goto *labels[*pc++ - '0'];
add: acc += 3; note(acc); goto *labels[*pc++ - '0'];
twice: acc *= 2; note(acc); goto *labels[*pc++ - '0'];
stop: return acc;
}
static int classify(int c) { switch (c) { case 0 ... 9: return 1; case 'a': c++; /* fall through */ case 'b': return c; default: if (c > 1000) goto big; return -1; } big: return 2; }
static void copy(char *to, const char *from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) { case 0: do { *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++; } while (--n > 0); }
}
static int vla(int n) { int a[n][n]; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i * j; int s = 0; for (int i = 0; i < n; i++) s += a[i][n - 1 - i]; return s; }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int (*table[])(int) = {classify, vla};
int main(void) {
  printf("%d %d\n", machine("01012"), machine("1102"));
  printf("%d %d %d %d %d\n", classify(5), classify('a'), classify('b'), classify(5000), classify(500));
  char buffer[32] = {0}; copy(buffer, "hello, device", 13); puts(buffer);
  printf("%d %d %d\n", table[1](6), table[0](3), ack(2, 3));
  for (int i = 0; i < used; i++) printf("%d ", trace[i]); puts("");
}
