//! what: thread_local objects are made on first use and destroyed when their thread ends
//! verdict: exhausted
//! cflags: -std=c++17
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> alive, made;

struct Cache {
    int hits = 0;
    Cache()
    {
        ++alive;
        ++made;
    }
    ~Cache() { --alive; }
};

thread_local Cache cache;

int main()
{
    auto use = [] {
        cache.hits++;
        assert(cache.hits == 1);
    };
    std::thread one(use);
    one.join();
    std::thread other(use);
    other.join();
    assert(made == 2 && alive == 0);
}
