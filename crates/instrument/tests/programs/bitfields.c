#include <stdio.h>
struct bits { unsigned a : 3; signed b : 5; unsigned long c : 40; unsigned char d; unsigned : 0; unsigned e : 1; } global = {1, -2, 3, 4, 1};
static void change(struct bits *p, int by) { p->a += by; p->b -= by; p->c *= by; p->d ^= by; p->e = !p->e; }
int main(void) {
  struct bits local = global;
  for (int i = 1; i < 20; i++) { change(&global, i); change(&local, -i); }
  printf("%u %d %lu %u %u\n", global.a, global.b, (unsigned long)global.c, global.d, global.e);
  printf("%u %d %lu %u %u\n", local.a, local.b, (unsigned long)local.c, local.d, local.e);
}
