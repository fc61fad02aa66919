//! what: a constructor crashes before main
//! ending: crash | not-started
static volatile int *volatile nowhere;

__attribute__((constructor)) static void fall(void)
{
    *nowhere = 1;
}

int main(void)
{
    return 0;
}
