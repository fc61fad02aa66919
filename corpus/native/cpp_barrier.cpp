//! what: a std::barrier runs its completion once a phase, between the arrivals and the departures
//! verdict: exhausted
//! cflags: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

int phases;

int main()
{
    auto complete = []() noexcept { phases++; };
    std::barrier barrier(2, complete);
    auto work = [&] {
        barrier.arrive_and_wait();
        assert(phases == 1);
    };
    std::thread one(work), other(work);
    one.join();
    other.join();
}
