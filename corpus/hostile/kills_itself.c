//! what: sends itself SIGKILL, which nobody can catch
//! ending: crash | untrusted
#include <signal.h>
#include <unistd.h>

int main(void)
{
    kill(getpid(), SIGKILL);
    return 0;
}
