//! verdict: failed
//! finding: deadlock
//! flags: --strategy hapset --max-runs 2000
//!
//! A thread pool with a work queue, tasks that depend on each other, and an orderly shutdown. Three tasks move loads between
//! three lanes round in a circle, and lock their lanes in the order in which they need them. They wait for each other, but
//! only if three workers do them at the same time and each has taken its first lane: with two workers one task of the
//! circle is never begun. With an argument the lanes are locked by their number, and nothing is wrong.
//!
//! There are far too many interleavings to run them all; the guided search finds the deadlock all the same.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    WORKERS = 3,
    LANES = 3,
    TASKS = 6,
    LOAD = 10,
    CAPACITY = 8,
};

// ---------------------------------------------------------------------------------------------------------------- lanes

struct lane {
    pthread_mutex_t lock;
    int load;
};

static struct lane lanes[LANES];
static bool sorted;

static void lanes_open(void)
{
    for (int lane = 0; lane < LANES; lane++) {
        pthread_mutex_init(&lanes[lane].lock, NULL);
        lanes[lane].load = LOAD;
    }
}

static void lanes_close(void)
{
    for (int lane = 0; lane < LANES; lane++)
        pthread_mutex_destroy(&lanes[lane].lock);
}

static int lanes_total(void)
{
    int total = 0;
    for (int lane = 0; lane < LANES; lane++) {
        pthread_mutex_lock(&lanes[lane].lock);
        total += lanes[lane].load;
        pthread_mutex_unlock(&lanes[lane].lock);
    }
    return total;
}

// Moves one load. The order of the two locks is the bug.
static void lanes_move(int from, int to)
{
    int first = from, second = to;
    if (sorted && first > second) {
        first = to;
        second = from;
    }
    pthread_mutex_lock(&lanes[first].lock);
    pthread_mutex_lock(&lanes[second].lock);
    lanes[from].load--;
    lanes[to].load++;
    pthread_mutex_unlock(&lanes[second].lock);
    pthread_mutex_unlock(&lanes[first].lock);
}

// ---------------------------------------------------------------------------------------------------------------- queue

struct job {
    int task;
    int from;
    int to;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct job jobs[CAPACITY];
    int first;
    int count;
    bool closed;
};

static struct queue queue;

static void queue_open(void)
{
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.filled, NULL);
    queue.first = 0;
    queue.count = 0;
    queue.closed = false;
}

static void queue_put(struct job job)
{
    pthread_mutex_lock(&queue.lock);
    assert(queue.count < CAPACITY);
    queue.jobs[(queue.first + queue.count) % CAPACITY] = job;
    queue.count++;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

// Waits for a job; false if there is none left and the queue is closed.
static bool queue_take(struct job *job)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.filled, &queue.lock);
    bool taken = queue.count > 0;
    if (taken) {
        *job = queue.jobs[queue.first];
        queue.first = (queue.first + 1) % CAPACITY;
        queue.count--;
    }
    pthread_mutex_unlock(&queue.lock);
    return taken;
}

static void queue_close(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

// ---------------------------------------------------------------------------------------------------------------- board

struct task {
    int from;
    int to;
    bool needs[TASKS];
};

// Three moves round in a circle, which nothing orders, one that comes after them, and two more after that.
static const struct task tasks[TASKS] = {
    {0, 1, {false}},
    {1, 2, {false}},
    {2, 0, {false}},
    {0, 1, {true, true, true}},
    {1, 2, {false, false, false, true}},
    {2, 0, {false, false, false, true}},
};

struct board {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    bool begun[TASKS];
    bool done[TASKS];
    int left;
};

static struct board board;

static void board_open(void)
{
    pthread_mutex_init(&board.lock, NULL);
    pthread_cond_init(&board.finished, NULL);
    for (int task = 0; task < TASKS; task++)
        board.begun[task] = board.done[task] = false;
    board.left = TASKS;
}

static bool is_ready(int task)
{
    if (board.begun[task])
        return false;
    for (int other = 0; other < TASKS; other++)
        if (tasks[task].needs[other] && !board.done[other])
            return false;
    return true;
}

// Puts everything into the queue that has become possible. The board is locked.
static void board_submit_ready(void)
{
    for (int task = 0; task < TASKS; task++) {
        if (is_ready(task)) {
            board.begun[task] = true;
            queue_put((struct job){task, tasks[task].from, tasks[task].to});
        }
    }
}

static void board_start(void)
{
    pthread_mutex_lock(&board.lock);
    board_submit_ready();
    pthread_mutex_unlock(&board.lock);
}

static void board_finish(int task)
{
    pthread_mutex_lock(&board.lock);
    board.done[task] = true;
    board.left--;
    board_submit_ready();
    if (board.left == 0)
        pthread_cond_signal(&board.finished);
    pthread_mutex_unlock(&board.lock);
}

static void board_wait_for_all(void)
{
    pthread_mutex_lock(&board.lock);
    while (board.left > 0)
        pthread_cond_wait(&board.finished, &board.lock);
    pthread_mutex_unlock(&board.lock);
}

// ----------------------------------------------------------------------------------------------------------------- pool

struct worker {
    pthread_t thread;
    int done;
};

static struct worker workers[WORKERS];

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct job job;
    while (queue_take(&job)) {
        lanes_move(job.from, job.to);
        worker->done++;
        board_finish(job.task);
    }
    return NULL;
}

static void pool_open(void)
{
    for (int number = 0; number < WORKERS; number++) {
        workers[number].done = 0;
        pthread_create(&workers[number].thread, NULL, work, &workers[number]);
    }
}

// Lets the workers finish; returns how many tasks they did.
static int pool_shut_down(void)
{
    int done = 0;
    queue_close();
    for (int number = 0; number < WORKERS; number++) {
        pthread_join(workers[number].thread, NULL);
        done += workers[number].done;
    }
    return done;
}

int main(int argc, char **argv)
{
    (void)argv;
    sorted = argc > 1;
    lanes_open();
    queue_open();
    board_open();
    pool_open();
    board_start();
    board_wait_for_all();
    int total = lanes_total();
    int done = pool_shut_down();
    lanes_close();
    assert(done == TASKS);
    assert(total == LANES * LOAD);
    return 0;
}
