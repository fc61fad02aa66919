//! what: burns time until the clock has moved on by ten seconds
//! ending: exhausted | livelock | stopped
#include <time.h>

int main(void)
{
    time_t start = time(NULL);
    while (time(NULL) - start < 10)
        ;
    return 0;
}
