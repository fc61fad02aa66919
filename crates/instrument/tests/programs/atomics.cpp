//! flags: -std=c++20 -pthread -latomic
// std::atomic of many types, wait and notify, atomic_ref, references to atomics, fences; a spin lock and a queue without locks.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
struct Node { int value; Node *next; }; static std::atomic<Node *> top; static std::atomic<int> state, done; static std::atomic_flag spin = ATOMIC_FLAG_INIT; static long guarded; struct Big { int a[5]; }; static std::atomic<Big> big{Big{{1, 2, 3, 4, 5}}}; struct Pair { int a, b; }; static std::atomic<Pair> pair{Pair{1, 2}};
static void push(int v) { auto *n = new Node{v, top.load(std::memory_order_relaxed)}; while (!top.compare_exchange_weak(n->next, n, std::memory_order_release, std::memory_order_relaxed)) {} }
int main() {
  std::vector<std::thread> threads; for (int t = 0; t < 3; t++) threads.emplace_back([t] { for (int i = 0; i < 50; i++) { push(t * 100 + i); while (spin.test_and_set(std::memory_order_acquire)) {} guarded += i; spin.clear(std::memory_order_release); } Pair p = pair.load(); while (!pair.compare_exchange_strong(p, Pair{p.a + 1, p.b + 2})) {} done++; done.notify_all(); });
  for (int d; (d = done) < 3;) done.wait(d); for (auto &t : threads) t.join(); long sum = 0; int n = 0; for (Node *p = top; p;) { sum += p->value; n++; Node *next = p->next; delete p; p = next; }
  Big b = big; b.a[2] = 30; big.store(b); std::atomic_thread_fence(std::memory_order_seq_cst); int plain = 5; std::atomic_ref<int> ref(plain); ref.fetch_add(6); std::atomic<double> d{1.5}; d.fetch_add(2.25); std::atomic<bool> yes{false}; bool was = yes.exchange(true); state ^= 6; state |= 8; int *q = &plain; std::atomic<int *> ptr{q}; ptr += 1;
  std::printf("%d %ld %ld %d %d %d %.2f %d %d %d %d\n", n, sum, guarded, big.load().a[2], plain, (int)ref.load(), d.load(), was, state.load(), (int)(ptr.load() - q), pair.load().a + pair.load().b);
}
