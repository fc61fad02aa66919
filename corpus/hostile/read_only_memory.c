//! what: writes into a string literal
//! ending: crash
static char *volatile text = "constant";

int main(void)
{
    text[0] = 'C';
    return 0;
}
