//! what: std::scoped_lock takes two mutexes in any order without a deadlock; it may have to try again any number of times
//! verdict: exhausted-within
//! flags: --strategy preemption-bound --bound 1
//! cflags: -std=c++17
#include <cassert>
#include <mutex>
#include <thread>

std::mutex a, b;
int moved;

int main()
{
    std::thread one([] {
        std::scoped_lock both(a, b);
        moved++;
    });
    std::thread other([] {
        std::scoped_lock both(b, a);
        moved++;
    });
    one.join();
    other.join();
    assert(moved == 2);
}
