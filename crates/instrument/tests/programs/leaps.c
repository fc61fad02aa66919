// setjmp and longjmp, also out of deep recursion, in a loop, with volatile locals.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf outer; static sigjmp_buf inner; static int depth, counts[8];
static void dive(int n) { counts[n % 8]++; if (n == 0) longjmp(outer, ++depth); dive(n - 1); counts[n % 8]--; }
static int attempt(int n) { volatile int tries = 0; int code = sigsetjmp(inner, 1); if (code == 0) { tries = 1; if (n & 1) siglongjmp(inner, n); return -1; } tries += 10; return tries + code; }
int main(void) {
  volatile int round = 0;
  int code = setjmp(outer);
  printf("round %d code %d\n", round, code);
  if (round < 4) { round++; dive(round * 3); }
  for (int i = 0; i < 6; i++) printf("%d ", attempt(i));
  for (int i = 0; i < 8; i++) printf("%d ", counts[i]);
  puts("");
}
