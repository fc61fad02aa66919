//! what: a jthread is asked to stop and joined when it goes out of scope; its stop callback ends the wait
//! verdict: exhausted
//! cflags: -std=c++20
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

std::mutex lock;
std::condition_variable_any changed;
bool stopped;

int main()
{
    {
        std::jthread worker([](std::stop_token stop) {
            std::unique_lock<std::mutex> guard(lock);
            changed.wait(guard, stop, [] { return false; });
            stopped = true;
        });
    }
    assert(stopped);
}
