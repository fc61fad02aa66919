//! what: writes into a pipe that nobody reads any more: SIGPIPE
//! ending: crash | untrusted
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    return write(ends[1], "x", 1) != 1;
}
