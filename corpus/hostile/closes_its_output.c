//! what: closes its three standard descriptors and prints
//! ending: exhausted | untrusted
#include <stdio.h>

int main(void)
{
    fclose(stdin);
    fclose(stderr);
    fclose(stdout);
    return 0;
}
