//! what: the same with a process for each run: as many runs
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
//! flags: --isolation fork
#include "shared/streams.h"

int main() {
    return body();
}
