//! what: recursive_mutex, timed_mutex and recursive_timed_mutex with try, for and until: every answer is handled
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

std::recursive_mutex again;
std::timed_mutex timed;
std::recursive_timed_mutex both;
int sum;

void work()
{
    using namespace std::chrono_literals;
    std::unique_lock<std::recursive_mutex> outer(again);
    std::lock_guard<std::recursive_mutex> inner(again);
    if (timed.try_lock_for(1s)) {
        sum++;
        timed.unlock();
    }
    if (both.try_lock_until(std::chrono::steady_clock::now() + 1s)) {
        bool twice = both.try_lock();
        assert(twice);
        both.unlock();
        both.unlock();
    }
}

int main()
{
    std::thread other(work);
    work();
    other.join();
    assert(sum == 2);
}
