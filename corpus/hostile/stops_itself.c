//! what: sends itself SIGSTOP and waits to be woken
//! ending: untrusted | stopped | livelock
#include <signal.h>
#include <unistd.h>

int main(void)
{
    kill(getpid(), SIGSTOP);
    return 0;
}
