//! what: the value is changed but nobody is notified, so a waiter that was already asleep stays asleep
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> state;

int main()
{
    std::thread producer([] { state.store(1); });
    state.wait(0);
    producer.join();
}
