//! what: a value and its successor stand behind two locks, and a reader comes in between
//! finding: assertion
#include "crowd.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int value, next;

static void *writer(void *unused)
{
    pthread_mutex_lock(&first);
    value = 1;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    next = 2;
    pthread_mutex_unlock(&second);
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&first);
    int seen = value;
    pthread_mutex_unlock(&first);
    if (seen != 0) {
        pthread_mutex_lock(&second);
        raddle_assert(next == seen + 1);
        pthread_mutex_unlock(&second);
    }
    return unused;
}

int main(void)
{
    for (int i = 1; i < N; i++)
        start(writer, 0);
    start(reader, 0);
    join_all();
    return 0;
}
