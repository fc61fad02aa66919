//! what: get waits for a promise that a thread keeps only if it is told to, and nobody tells it
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++17
#include <atomic>
#include <future>
#include <thread>

std::atomic<bool> wanted;

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread producer([&] {
        if (wanted)
            promise.set_value(42);
    });
    int answer = future.get();
    wanted = true;
    producer.join();
    return answer != 42;
}
