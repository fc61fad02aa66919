#pragma once

#include <future>
#include <vector>

/// Applies `work` to all items, each in a task of its own, and combines the results. The first exception is thrown again.
template <typename Item, typename Result, typename Work, typename Combine>
Result parallel(const std::vector<Item> &items, Result result, Work work, Combine combine)
{
    std::vector<std::future<Result>> tasks;
    tasks.reserve(items.size());
    for (const Item &item : items)
        tasks.push_back(std::async(std::launch::async, [&work, &item] { return work(item); }));
    for (auto &task : tasks)
        result = combine(result, task.get());
    return result;
}
