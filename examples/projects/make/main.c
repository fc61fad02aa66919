// A pool of two workers adds up the numbers from 1 to the argument (2 if there is none).
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "pool.h"

static struct pool pool;

int main(int count, char **arguments)
{
    int numbers = count > 1 ? atoi(arguments[1]) : 2;
    pool_start(&pool);
    for (int i = 1; i <= numbers; i++)
        queue_put(&pool.queue, i);
    int sum = pool_finish(&pool);
    assert(sum == numbers * (numbers + 1) / 2);
    printf("%d\n", sum);
    return 0;
}
