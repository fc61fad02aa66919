//! what: calls a function pointer that is null
//! ending: crash
static void (*volatile handler)(void);

int main(void)
{
    handler();
    return 0;
}
