//! what: becomes another program in the middle of a run
//! ending: untrusted
#include <unistd.h>

int main(void)
{
    execl("/bin/true", "true", (char *)NULL);
    return 0;
}
