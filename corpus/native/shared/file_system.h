// The file system of Flanagan and Godefroid (2005): 32 inodes and 26 blocks with a lock each; THREADS threads give a
// block to their inode. From the fourteenth thread on two threads look at the same blocks.
#include <pthread.h>
#include <stdbool.h>

enum { INODES = 32, BLOCKS = 26 };
static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static bool busy[BLOCKS];

static void *create_file(void *number)
{
    int i = (int)(long)number % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int block = (i * 2) % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[block]);
            if (!busy[block])
                break;
            pthread_mutex_unlock(&block_lock[block]);
            block = (block + 1) % BLOCKS;
        }
        busy[block] = true;
        inode[i] = block + 1;
        pthread_mutex_unlock(&block_lock[block]);
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, create_file, (void *)i);
    for (long i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
