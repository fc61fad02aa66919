//! what: destructors of static objects and what atexit registered run after main, where one of them meets a thread that goes on
//! verdict: failed
//! finding: assertion at 17
//! cflags: -std=c++17
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

static std::atomic<int> uses;

struct Service {
    std::vector<int> data{1, 2, 3};
    ~Service()
    {
        assert(uses == 0);
        data.clear();
    }
};

static Service service;

int main()
{
    std::atexit([] { uses.fetch_add(0); });
    std::thread([] {
        uses++;
        uses--;
    }).detach();
}
