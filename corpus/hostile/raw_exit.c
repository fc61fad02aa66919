//! what: leaves by a system call of its own, past every library
//! ending: exhausted | untrusted | stopped | crash
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    syscall(SYS_exit_group, 9);
    return 0;
}
