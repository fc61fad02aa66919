//! what: each thread throws and catches while it holds a lock; unwinding gives the lock back
//! verdict: exhausted
//! cflags: -std=c++17
//! runs: optimal-dpor 2
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

std::mutex lock;
int caught;

void fail(int number)
{
    std::lock_guard<std::mutex> guard(lock);
    caught++;
    throw number;
}

int main()
{
    auto work = [](int number) {
        try {
            fail(number);
        } catch (int seen) {
            assert(seen == number);
        }
    };
    std::thread one(work, 1), other(work, 2);
    one.join();
    other.join();
    assert(caught == 2);
}
