//! what: a latch lets main go when both workers have counted down
//! verdict: exhausted
//! cflags: -std=c++20
#include <cassert>
#include <latch>
#include <thread>

int main()
{
    std::latch done(2);
    int part[2] = {};
    auto work = [&](int me) {
        part[me] = 1;
        done.count_down();
    };
    std::thread one(work, 0), other(work, 1);
    done.wait();
    assert(part[0] + part[1] == 2);
    one.join();
    other.join();
}
