//! what: sends its parent a signal that is ignored by default
//! ending: untrusted
#include <signal.h>
#include <unistd.h>

int main(void)
{
    kill(getppid(), SIGURG);
    return 0;
}
