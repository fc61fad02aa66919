//! what: fetch_add, fetch_or, exchange and compare_exchange of std::atomic keep every bit that was set
//! verdict: exhausted
//! cflags: -std=c++17
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<unsigned> bits;

void set(unsigned bit)
{
    unsigned seen = bits.load();
    while (!bits.compare_exchange_weak(seen, seen | bit))
        ;
}

int main()
{
    std::thread one(set, 1u), other([] { bits.fetch_or(2); });
    bits.fetch_add(4);
    one.join();
    other.join();
    assert(bits.exchange(0) == 7);
}
