//! what: two threads cut pieces off one text with strsep
//! verdict: failed
//! finding: data-race at 12
//! isolation: inline
#include <pthread.h>
#include <string.h>

static char text[] = "a,b,c,d";
static char *rest = text;

static void *take(void *unused) {
    char *piece = strsep(&rest, ",");
    return piece ? unused : 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, take, 0);
    pthread_create(&two, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
