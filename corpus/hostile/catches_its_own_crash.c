//! what: catches SIGSEGV itself and returns to the faulting instruction, again and again
//! ending: crash | untrusted | livelock | stopped
#include <signal.h>

static volatile int *volatile nowhere;

static void ignore(int number)
{
    (void)number;
}

int main(void)
{
    signal(SIGSEGV, ignore);
    *nowhere = 1;
    return 0;
}
