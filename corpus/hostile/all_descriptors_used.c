//! what: opens descriptors until there are none left
//! ending: exhausted | untrusted
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 5000; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            break;
    return 0;
}
