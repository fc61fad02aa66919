//! what: executes an instruction that no processor knows
//! ending: crash
int main(void)
{
    __builtin_trap();
}
