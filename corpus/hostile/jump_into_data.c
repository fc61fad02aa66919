//! what: calls into data that is no code
//! ending: crash
static long data[4] = {1, 2, 3, 4};
static void *volatile target = data;

int main(void)
{
    ((void (*)(void))target)();
    return 0;
}
