//! what: two threads append to one string; its functions are compiled with the program, so their accesses are seen
//! verdict: failed
//! finding: data-race at 13
//! cflags: -std=c++17
#include <string>
#include <thread>

static std::string text = "a";

int main()
{
    std::thread one([] { text.append("b"); });
    std::thread other([] { text += "cc"; });
    one.join();
    other.join();
}
