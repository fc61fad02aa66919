/* Fib: two threads add the other's number to their own, ROUNDS times, while the main thread looks at both. */
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 4
#endif

static atomic_long numbers[2] = {1, 1};

static void body(int own) {
    for (int round = 0; round < ROUNDS; round++) {
        long sum = atomic_load(&numbers[own]) + atomic_load(&numbers[1 - own]);
        atomic_store(&numbers[own], sum);
    }
}

int main(void) {
    start_all(2);
    (void)atomic_load(&numbers[0]);
    (void)atomic_load(&numbers[1]);
    join_all(2);
}
