//! flags: -std=c++17 -pthread
// std::async, promise, thread, mutex, call_once, shared_ptr between threads, static initialisation, thread_local objects.
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
struct Counter { int value = 0; Counter() { made++; } ~Counter() { ended += value; } static std::atomic<int> made, ended; }; std::atomic<int> Counter::made, Counter::ended;
static thread_local Counter counter; inline thread_local int shared_inline = 11; struct Config { int size; Config() : size(++built) {} static int built; }; int Config::built; static Config &config() { static Config c; return c; }
static int work(int n) { for (int i = 0; i < n; i++) counter.value += config().size; shared_inline += n; return counter.value + shared_inline; }
static int fail() { throw std::runtime_error("from the other thread"); }
int main() {
  std::vector<std::future<int>> results; for (int i = 1; i <= 4; i++) results.push_back(std::async(std::launch::async, work, i * 10)); int sum = 0; for (auto &r : results) sum += r.get(); std::cout << sum << ' ' << Config::built << ' ' << Counter::made << ' ' << Counter::ended << ' ' << shared_inline << '\n';
  auto failed = std::async(std::launch::async, fail); try { failed.get(); } catch (std::exception &e) { std::cout << e.what() << '\n'; }
  std::promise<std::string> promise; auto future = promise.get_future(); std::thread t([p = std::move(promise)]() mutable { p.set_value(std::string(100, 'x')); }); std::cout << future.get().size() << '\n'; t.join();
  std::once_flag once; int times = 0; std::mutex m; std::shared_mutex s; auto data = std::make_shared<int>(0); std::vector<std::thread> threads; for (int i = 0; i < 4; i++) threads.emplace_back([&, data] { std::call_once(once, [&] { times++; }); for (int k = 0; k < 100; k++) { std::lock_guard g(m); ++*data; } std::shared_lock r(s); }); for (auto &each : threads) each.join();
  std::cout << times << ' ' << *data << ' ' << data.use_count() << ' ' << work(3) << '\n'; auto lazy = std::async(std::launch::deferred, work, 1); std::cout << lazy.get() << '\n';
}
