//! what: the waiter waits without looking first, and the notification may have come already
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++17
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;

int main()
{
    std::thread producer([] { changed.notify_one(); });
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard);
    }
    producer.join();
}
