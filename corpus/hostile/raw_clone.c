//! what: makes a process by a system call of its own
//! ending: untrusted | exhausted
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    if (syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        _exit(0);
    return 0;
}
