//! what: sleeping takes no real time and moves the clocks on; a year passes in a moment
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec before, after, year = {.tv_sec = 365L * 24 * 3600};
    clock_gettime(CLOCK_MONOTONIC, &before);
    time_t start = time(NULL);
    nanosleep(&year, NULL);
    usleep(10);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= year.tv_sec);
    assert(time(NULL) - start >= year.tv_sec);
    return 0;
}
