//! what: a template queue with close: two consumers share what one producer gives
//! verdict: exhausted
//! cflags: -std=c++17
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

template <typename T> class Queue {
public:
    void push(T item)
    {
        std::lock_guard<std::mutex> guard(lock);
        items.push_back(std::move(item));
        changed.notify_one();
    }

    void close()
    {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
        changed.notify_all();
    }

    std::optional<T> pop()
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return closed || !items.empty(); });
        if (items.empty())
            return std::nullopt;
        T item = std::move(items.front());
        items.pop_front();
        return item;
    }

private:
    std::mutex lock;
    std::condition_variable changed;
    std::deque<T> items;
    bool closed = false;
};

int main()
{
    Queue<int> queue;
    int sum[2] = {};
    auto consume = [&](int me) {
        while (auto item = queue.pop())
            sum[me] += *item;
    };
    std::thread one(consume, 0), other(consume, 1);
    queue.push(5);
    queue.close();
    one.join();
    other.join();
    assert(sum[0] + sum[1] == 5);
}
