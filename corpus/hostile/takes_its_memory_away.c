//! what: takes away all access to the page of its own variables
//! ending: crash
#include <stdint.h>
#include <sys/mman.h>

static _Alignas(4096) char page[4096];

int main(void)
{
    mprotect(page, sizeof page, PROT_NONE);
    page[0] = 1;
    return 0;
}
