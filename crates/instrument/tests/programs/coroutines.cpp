//! flags: -std=c++20
#include <coroutine>
#include <cstdio>
#include <exception>
#include <ranges>
#include <vector>
struct Generator { struct promise_type { int value; Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; } std::suspend_always initial_suspend() { return {}; } std::suspend_always final_suspend() noexcept { return {}; } std::suspend_always yield_value(int v) { value = v; return {}; } void return_void() {} void unhandled_exception() { std::terminate(); } }; std::coroutine_handle<promise_type> handle; ~Generator() { handle.destroy(); } };
static int state = 5; static Generator count(int from) { int local[3] = {from, from + 1, from + 2}; for (int x : local) { state += x; co_yield x * state; } }
int main() { Generator g = count(3), h = count(10); for (int i = 0; i < 3; i++) { g.handle.resume(); h.handle.resume(); std::printf("%d %d\n", g.handle.promise().value, h.handle.promise().value); } for (int x : std::vector{1, 2, 3, 4} | std::views::filter([](int v) { return v % 2 == 0; })) std::printf("%d ", x); std::puts(""); }
