//! flags: -std=c++17
// Construction and destruction: order, copies, moves, temporaries, arrays, placement new, static and local objects, pointers to members.
#include <cstdio>
#include <new>
#include <string>
#include <utility>
static int log_[64], used; static void note(int n) { if (used < 64) log_[used++] = n; }
struct Noisy { int id; explicit Noisy(int id) : id(id) { note(id); } Noisy(const Noisy &o) : id(o.id + 100) { note(id); } Noisy(Noisy &&o) noexcept : id(std::exchange(o.id, 0)) { note(id + 1000); } Noisy &operator=(const Noisy &) = default; ~Noisy() { note(-id); } int get() const { return id; } };
static Noisy first(1); static Noisy &second() { static Noisy n(2); return n; } static Noisy make(int i) { Noisy n(i); return n; } static int take(Noisy n) { return n.id; }
struct Base { int a = 1; virtual int f() { return a; } }; struct Left : virtual Base { int b = 2; int f() override { return b + Base::f(); } }; struct Right : virtual Base { int c = 3; }; struct Both : Left, Right { int d = 4; };
alignas(64) static unsigned char room[sizeof(Noisy)];
int main() {
  Noisy a = make(3), b = a, c = std::move(a); int t = take(b) + take(make(4)) + second().id; Noisy *array = new Noisy[2]{Noisy(5), Noisy(6)}; delete[] array; Noisy *placed = new (room) Noisy(7); placed->~Noisy();
  int (Noisy::*method)() const = &Noisy::get; int Noisy::*field = &Noisy::id; Both both; Base &base = both; Right *right = &both; c.*field += 5; std::printf("%d %d %d %d %d\n", t, (c.*method)(), base.f(), right->c + right->a, (int)sizeof(std::string)); for (int i = 0; i < used; i++) std::printf("%d ", log_[i]); std::puts("");
}
