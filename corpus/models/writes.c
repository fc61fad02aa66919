/* Writes: N threads write to one cell TIMES times (Figure 4, with more threads and more writes). */
#include "threads.h"

#ifndef N
#define N 4
#endif
#ifndef TIMES
#define TIMES 3
#endif

static atomic_long shared;

static void body(int number) {
    for (int time = 0; time < TIMES; time++) {
        atomic_store(&shared, number);
    }
}

int main(void) {
    run_all(N);
}
