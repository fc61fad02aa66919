/* Updater: UPDATERS threads update a value TIMES times, WORKERS threads look at it TIMES times and work with what they
   find. */
#include "threads.h"

#ifndef UPDATERS
#define UPDATERS 2
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TIMES
#define TIMES 2
#endif

static atomic_long value, results[WORKERS];

static void body(int number) {
    for (int round = 0; round < TIMES; round++) {
        if (number < UPDATERS) {
            atomic_store(&value, 10 * number + round);
        } else {
            long found = atomic_load(&value);
            atomic_store(&results[number - UPDATERS], found + 1);
        }
    }
}

int main(void) {
    run_all(UPDATERS + WORKERS);
}
