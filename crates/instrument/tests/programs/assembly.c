// Inline assembly with memory operands, and asm goto.
#include <stdio.h>
static long value = 5; static int jump(int x) { asm goto("testl %0, %0; jnz %l1" : : "r"(x) : "cc" : nonzero); return 0; nonzero: return 1; }
int main(void) { long out; asm volatile("lock xaddq %0, %1" : "=r"(out), "+m"(value) : "0"(7l) : "memory"); asm volatile("" ::: "memory"); asm volatile("mfence" ::: "memory"); printf("%ld %ld %d %d\n", out, value, jump(0), jump(4)); }
