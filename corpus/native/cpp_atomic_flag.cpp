//! what: an atomic_flag as a spin lock with acquire and release
//! verdict: exhausted
//! cflags: -std=c++17
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag busy = ATOMIC_FLAG_INIT;
int counter;

void work()
{
    while (busy.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
    counter++;
    busy.clear(std::memory_order_release);
}

int main()
{
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(counter == 2);
}
