//! what: wait_for gives up after its time; the program takes the value as if it had come
//! verdict: failed
//! finding: assertion at 25
//! cflags: -std=c++17
#include <cassert>
#include <chrono>
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
        changed.wait_for(guard, std::chrono::seconds(5), [] { return ready; });
        assert(ready);
    }
    producer.join();
}
