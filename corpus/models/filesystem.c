/* Filesystem: THREADS threads look for free blocks for their inodes (Flanagan and Godefroid 2005, Figure 4). */
#include "threads.h"

#ifndef THREADS
#define THREADS 14
#endif

enum { BLOCKS = 26, INODES = 32 };

static atomic_long inode[INODES], busy[BLOCKS];
static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];

static void body(int number) {
    int at = number % INODES;
    pthread_mutex_lock(&inode_locks[at]);
    if (atomic_load(&inode[at]) == 0) {
        for (int block = (at * 2) % BLOCKS;; block = (block + 1) % BLOCKS) {
            pthread_mutex_lock(&block_locks[block]);
            int is_free = atomic_load(&busy[block]) == 0;
            if (is_free) {
                atomic_store(&busy[block], 1);
                atomic_store(&inode[at], block + 1);
            }
            pthread_mutex_unlock(&block_locks[block]);
            if (is_free) {
                break;
            }
        }
    }
    pthread_mutex_unlock(&inode_locks[at]);
}

int main(void) {
    for (int at = 0; at < INODES; at++) {
        pthread_mutex_init(&inode_locks[at], NULL);
    }
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_init(&block_locks[block], NULL);
    }
    run_all(THREADS);
}
