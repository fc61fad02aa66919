// Exceptions: through frames with destructors, rethrown, of any type, out of constructors, function try blocks, nested, noexcept.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
static int alive;
struct Guard { std::string name; explicit Guard(std::string n) : name(std::move(n)) { alive++; } ~Guard() { alive--; std::printf("~%s ", name.c_str()); } };
struct Part { int v; explicit Part(int v) : v(v) { if (v == 3) throw v; alive++; } ~Part() { alive--; } };
struct Whole { Part a, b; Whole(int x, int y) try : a(x), b(y) {} catch (int e) { std::printf("whole %d ", e); throw std::runtime_error("no whole"); } };
static int deep(int n) { Guard g("g" + std::to_string(n)); if (n == 0) throw std::out_of_range("deep"); return deep(n - 1) + 1; }
static void again() { try { deep(3); } catch (const std::logic_error &e) { std::printf("%s ", e.what()); throw; } }
static int number() noexcept { try { throw 4; } catch (int i) { return i; } }
int main() {
  try { again(); } catch (std::exception &e) { std::printf("%s %d\n", e.what(), alive); }
  try { Whole w(1, 3); } catch (std::exception &e) { std::printf("%s %d\n", e.what(), alive); }
  try { std::vector<Part> parts; for (int i = 0; i < 5; i++) parts.emplace_back(i); } catch (...) { std::printf("any %d\n", alive); }
  try { try { throw std::string("inner"); } catch (...) { std::throw_with_nested(std::runtime_error("outer")); } } catch (std::exception &e) { try { std::rethrow_if_nested(e); } catch (std::string &s) { std::printf("%s %s\n", e.what(), s.c_str()); } }
  std::exception_ptr kept; try { std::string().at(1); } catch (...) { kept = std::current_exception(); }
  try { std::rethrow_exception(kept); } catch (std::out_of_range &) { std::puts("kept"); }
  std::printf("%d %d\n", number(), alive);
}
