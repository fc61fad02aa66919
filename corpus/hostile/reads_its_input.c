//! what: reads its standard input to the end
//! ending: exhausted
#include <stdio.h>

int main(void)
{
    while (getchar() != EOF)
        ;
    return 0;
}
