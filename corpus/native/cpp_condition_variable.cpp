//! what: a condition_variable with a predicate misses nothing
//! verdict: exhausted
//! cflags: -std=c++17
//! runs: optimal-dpor 2
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;

int main()
{
    std::thread producer([] {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return ready; });
        assert(ready);
    }
    producer.join();
}
