/* Raddle: what a program can say to the tester. All of it also works in a program that runs by itself. */
#ifndef RADDLE_H
#define RADDLE_H
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noreturn)) void raddle_assert_failed(const char *text);
/* A false assumption ends the run quietly: it is of no interest. */
void raddle_assume(int condition);
/* One of 0 .. n-1; a search tries each of them. */
unsigned raddle_choose(unsigned n);
#ifdef __cplusplus
}
#endif
#define raddle_assert(x) ((x) ? (void)0 : raddle_assert_failed(#x))
#endif
