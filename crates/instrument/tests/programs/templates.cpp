//! flags: -std=c++17
// Templates, virtual functions, multiple inheritance, the containers, lambdas, std::variant, std::function, iterators.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <variant>
#include <vector>
template <class... T> auto total(T... t) { return (t + ... + 0); }
template <int N> struct Fib { static constexpr int value = Fib<N - 1>::value + Fib<N - 2>::value; }; template <> struct Fib<1> { static constexpr int value = 1; }; template <> struct Fib<0> { static constexpr int value = 0; };
struct Shape { virtual double area() const = 0; virtual ~Shape() = default; static inline int made = 0; Shape() { made++; } }; struct Named { std::string name = "?"; virtual std::string title() const { return name; } virtual ~Named() = default; };
struct Circle : Shape, Named { double r; explicit Circle(double r) : r(r) { name = "circle"; } double area() const override { return 3 * r * r; } }; struct Square : virtual Shape, Named { double s; explicit Square(double s) : s(s) {} double area() const override { return s * s; } std::string title() const override { return "square of " + std::to_string((int)s); } };
template <class T> class Stack { std::vector<T> items; public: void push(T t) { items.push_back(std::move(t)); } std::optional<T> pop() { if (items.empty()) return {}; T t = std::move(items.back()); items.pop_back(); return t; } };
using Value = std::variant<int, double, std::string>;
int main() {
  std::vector<std::unique_ptr<Shape>> shapes; shapes.emplace_back(new Circle(2)); shapes.emplace_back(new Square(3)); double area = 0; for (auto &s : shapes) area += s->area();
  for (auto &s : shapes) if (auto *n = dynamic_cast<Named *>(s.get())) std::cout << n->title() << ' '; std::cout << area << ' ' << Shape::made << '\n';
  std::map<std::string, std::vector<int>> groups; for (int i = 0; i < 20; i++) groups[i % 3 ? i % 2 ? "odd" : "even" : "third"].push_back(i); for (auto &[k, v] : groups) std::cout << k << '=' << std::accumulate(v.begin(), v.end(), 0) << ' ';
  std::unordered_map<int, int> squares; for (int i = 0; i < 100; i++) squares[i] = i * i; int s = 0; for (auto [k, v] : squares) s += v - k; std::cout << s << ' ' << total(1, 2.5, 3) << ' ' << Fib<15>::value << '\n';
  std::function<int(int)> f = [n = 0](int by) mutable { return n += by; }; f(3); f(4); Stack<std::string> stack; stack.push("a"); stack.push(std::string(40, 'b')); std::cout << f(0) << stack.pop()->size() << *stack.pop() << stack.pop().has_value() << '\n';
  std::vector<Value> values{1, 2.5, std::string("three")}; std::ostringstream out; for (auto &v : values) std::visit([&](auto &x) { out << x << ';'; }, v); std::cout << out.str() << '\n'; std::sort(values.begin(), values.end(), [](auto &a, auto &b) { return a.index() > b.index(); }); std::cout << std::get<std::string>(values[0]) << '\n';
}
