//! what: condition_variable_any waits with a shared lock
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
std::condition_variable_any changed;
int value;

int main()
{
    std::thread writer([] {
        std::unique_lock<std::shared_mutex> guard(lock);
        value = 42;
        changed.notify_all();
    });
    {
        std::shared_lock<std::shared_mutex> guard(lock);
        changed.wait(guard, [] { return value != 0; });
        assert(value == 42);
    }
    writer.join();
}
