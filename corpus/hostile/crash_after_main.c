//! what: a destructor crashes after main has returned
//! ending: crash
static volatile int *volatile nowhere;

__attribute__((destructor)) static void fall(void)
{
    *nowhere = 1;
}

int main(void)
{
    return 0;
}
