//! what: containers that were filled before main are the same at the beginning of each run, whatever the last one did to them
//! verdict: exhausted
//! runs: optimal-dpor 2
//! cflags: -std=c++17
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::vector<int> numbers = {1, 2, 3};
static std::map<std::string, int> words = {{"a long word that does not fit into the string itself", 1}};
static std::mutex lock;

int main()
{
    auto work = [](int number) {
        std::lock_guard<std::mutex> guard(lock);
        assert(numbers.size() < 5 && words.size() == 1);
        numbers.push_back(number);
        words.erase(words.begin());
        words["another long word that does not fit" + std::to_string(number)] = number;
    };
    std::thread one(work, 4), other(work, 5);
    one.join();
    other.join();
    assert(numbers.size() == 5);
}
