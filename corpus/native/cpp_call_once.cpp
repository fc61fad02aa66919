//! what: call_once runs its function once, and again if it threw
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag once;
int tries, table;

void initialise()
{
    if (++tries == 1)
        throw std::runtime_error("not yet");
    table = 42;
}

void work()
{
    try {
        std::call_once(once, initialise);
        assert(table == 42);
    } catch (const std::runtime_error &) {
    }
}

int main()
{
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(tries == 2 && table == 42);
}
