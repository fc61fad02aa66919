// THREADS threads enter SECTIONS critical sections of one lock each. The sections can follow each other in every order
// that keeps each thread's own: (THREADS * SECTIONS)! / (SECTIONS!)^THREADS traces.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < SECTIONS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(counter == THREADS * SECTIONS);
    return 0;
}
