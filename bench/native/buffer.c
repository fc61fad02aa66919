// A bounded buffer with two condition variables: P producers and as many consumers, ITEMS items each, room for ROOM.
#include <pthread.h>

#ifndef P
#define P 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef ROOM
#define ROOM 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int buffer[ROOM], count;

static void *produce(void *argument) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == ROOM)
            pthread_cond_wait(&emptied, &lock);
        buffer[count++] = i;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *consume(void *argument) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&filled, &lock);
        count--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t thread[2 * P];
    for (int i = 0; i < P; i++) {
        pthread_create(&thread[2 * i], 0, produce, 0);
        pthread_create(&thread[2 * i + 1], 0, consume, 0);
    }
    for (int i = 0; i < 2 * P; i++)
        pthread_join(thread[i], 0);
    return 0;
}
