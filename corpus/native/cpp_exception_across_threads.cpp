//! what: an exception is carried to main by exception_ptr, once from each thread that failed
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main()
{
    std::mutex lock;
    std::vector<std::exception_ptr> errors;
    auto work = [&](bool good) {
        try {
            if (!good)
                throw std::logic_error("bad");
        } catch (...) {
            std::lock_guard<std::mutex> guard(lock);
            errors.push_back(std::current_exception());
        }
    };
    std::thread one(work, false), other(work, true), third(work, false);
    one.join();
    other.join();
    third.join();
    int rethrown = 0;
    for (auto &error : errors) {
        try {
            std::rethrow_exception(error);
        } catch (const std::logic_error &) {
            rethrown++;
        }
    }
    assert(rethrown == 2);
}
