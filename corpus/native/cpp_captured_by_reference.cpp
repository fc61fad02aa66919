//! what: a lambda that runs in a thread refers to a local variable of a function that returns the thread
//! verdict: failed
//! finding: use-after-free at 9
#include <thread>

static std::thread start()
{
    int count = 3;
    return std::thread([&] { count++; });
}

int main()
{
    std::thread thread = start();
    thread.join();
}
