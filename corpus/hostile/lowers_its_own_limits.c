//! what: takes away its own descriptors, processes and stack by limits
//! ending: exhausted | untrusted
#include <sys/resource.h>

int main(void)
{
    struct rlimit none = {3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_NPROC, &none);
    return 0;
}
