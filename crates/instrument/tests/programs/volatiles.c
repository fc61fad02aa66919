#include <signal.h>
#include <stdio.h>
volatile int flag; volatile char bytes[8]; volatile sig_atomic_t seen; struct device { volatile unsigned control; unsigned data[4]; } dev; volatile struct device *mapped = &dev; static void handler(int s) { seen += s; }
int main(void) { signal(SIGUSR1, handler); raise(SIGUSR1); for (int i = 0; i < 8; i++) bytes[i] = (char)(i * 3); flag = bytes[3] + bytes[7]; flag++; mapped->control |= 5; mapped->data[2] = mapped->control << 3; volatile double local = 2; local *= flag; printf("%d %d %u %u %.1f %d\n", flag, bytes[5], dev.control, dev.data[2], local, (int)seen); struct device copy = *mapped; printf("%u\n", copy.data[2]); }
