//! what: nested lock_guards in opposite order
//! verdict: failed
//! finding: deadlock
//! cflags: -std=c++17
#include <mutex>
#include <thread>

std::mutex accounts, journal;

void transfer()
{
    std::lock_guard<std::mutex> first(accounts);
    std::lock_guard<std::mutex> second(journal);
}

void audit()
{
    std::lock_guard<std::mutex> first(journal);
    std::lock_guard<std::mutex> second(accounts);
}

int main()
{
    std::thread one(transfer), other(audit);
    one.join();
    other.join();
}
