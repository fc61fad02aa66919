//! what: lets a timer interrupt it with signals
//! ending: untrusted
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    (void)number;
    ticks = ticks + 1;
}

int main(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 1000}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &soon, NULL);
    return 0;
}
