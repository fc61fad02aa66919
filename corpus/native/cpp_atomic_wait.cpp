//! what: atomic wait and notify: the waiter sleeps until the value is another one
//! verdict: exhausted
//! cflags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> state;
int data;

int main()
{
    std::thread producer([] {
        data = 42;
        state.store(1);
        state.notify_one();
    });
    state.wait(0);
    assert(data == 42);
    producer.join();
}
