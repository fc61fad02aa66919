//! what: a lock of a compare-exchange that is tried until it succeeds; the loop is in a function, the exchange in the library
//! verdict: exhausted
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> taken{false};
static int counter;

static void lock()
{
    bool expected = false;
    while (!taken.compare_exchange_strong(expected, true, std::memory_order_acquire))
        expected = false;
}

static void add()
{
    lock();
    counter++;
    taken.store(false, std::memory_order_release);
}

int main()
{
    std::thread a(add), b(add), c(add);
    a.join();
    b.join();
    c.join();
    assert(counter == 3);
}
