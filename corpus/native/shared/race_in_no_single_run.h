#include <pthread.h>
#include <raddle.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reads(void *none)
{
    if (raddle_choose(2)) {
        pthread_mutex_lock(&lock);
        int seen = shared;
        (void)seen;
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void *writes(void *none)
{
    if (raddle_choose(2))
        shared = 1;
    return none;
}

int main(void)
{
    pthread_t reader, writer;
    pthread_create(&reader, NULL, reads, NULL);
    pthread_create(&writer, NULL, writes, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return 0;
}
