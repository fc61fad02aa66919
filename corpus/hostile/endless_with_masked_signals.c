//! what: blocks every signal that can be blocked and then loops for ever
//! ending: livelock | stopped
#include <signal.h>
#include <stddef.h>

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;)
        __asm__ volatile("");
}
