//! what: pauses for a signal that nobody sends
//! ending: livelock | untrusted | stopped | deadlock
#include <unistd.h>

int main(void)
{
    pause();
    return 0;
}
