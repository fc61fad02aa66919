//! what: waits on a futex by a system call of its own; nobody wakes it
//! ending: livelock | untrusted | stopped | deadlock
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void)
{
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return 0;
}
