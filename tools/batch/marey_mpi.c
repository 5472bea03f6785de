/* marey_mpi.c - `marey-mpi N COMMAND WORD...`, started by mpirun: its ranks run COMMAND WORD... I, each as a
   process of its own, for I = 1 to N, and take the next I as they become free. Rank 0 hands them out and
   works too.

   A shard whose process fails is handed on to another rank, three times at most. When none are left to
   begin, a rank that is free takes one that another has been at for longest: that one may be slow or
   gone, and a shard that is run twice does no harm (app/core/shards.h). What takes longer than the other
   is stopped. So a rank that is killed costs its shard, where mpirun lets the others live
   (--enable-recovery). */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TRIES = 3, TURN_MS = 5, WORD_TURNS = 1000, GONE_TURNS = 12000 };
enum { REPORT = 1, WORK = 2 };           /* kinds of messages: to rank 0, and from it */
enum { NONE = 0, STOP = -1, DROP = -2 }; /* in place of a shard's number */

/* A rank reports once for every shard that it was handed, and once to begin with. */
typedef struct report {
    int shard; /* NONE: the first word of a rank */
    int failed;
} report;

typedef struct order {
    int shard; /* to run; STOP: go home */
    int drop;  /* or this one is not wanted any more; ignored by a rank that is at another */
} order;

typedef struct shard_state {
    int tries, running;
    bool done;
    long began; /* in turns of the loop, of the last rank that took it */
} shard_state;

typedef struct handing {
    shard_state *shards; /* 1 to count */
    /* Which shard each is at; NONE: it waits; DROP: what it reports next does not count; STOP: it was
       sent home. */
    int *of_rank;
    int count, ranks, left;
    long turn;
    bool given_up;
} handing;

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = TURN_MS * 1000000 }, NULL);
}

/* ---- one process ------------------------------------------------------------------------------ */

static volatile sig_atomic_t child; /* 0: none */

/* mpirun stops ranks so; what they started goes with them. */
static void stop_child(int signal)
{
    if (child > 0) kill((pid_t)child, SIGTERM);
    _exit(128 + signal);
}

static void start(int shard, char **words, int count)
{
    char number[16];
    snprintf(number, sizeof number, "%d", shard);
    words[count] = number;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* a rank that is killed leaves nothing running */
        execvp(words[0], words);
        fprintf(stderr, "marey-mpi: %s does not start\n", words[0]);
        _exit(127);
    }
    child = pid;
}

/* Has it ended? Then it is known whether it failed. */
static bool has_ended(int *failed)
{
    int how = 0;
    if (child < 0) {
        *failed = 1;
        child = 0;
        return true;
    }
    if (waitpid((pid_t)child, &how, WNOHANG) == 0) return false;
    *failed = !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    child = 0;
    return true;
}

static void stop(void)
{
    if (child <= 0) return;
    kill((pid_t)child, SIGTERM);
    while (waitpid((pid_t)child, NULL, 0) < 0 && errno == EINTR) {
    }
    child = 0;
}

/* ---- rank 0: who does what -------------------------------------------------------------------- */

/* The next that none is at; else the one that was begun longest ago and that one rank only is at. */
static int next_shard(const handing *of)
{
    int longest = NONE;
    for (int i = 1; i <= of->count; i++) {
        const shard_state *one = &of->shards[i];
        if (one->done) continue;
        if (one->running == 0) return i;
        if (one->running == 1 && (longest == NONE || one->began < of->shards[longest].began))
            longest = i;
    }
    return longest;
}

static void take_report(handing *of, int rank, const report *said)
{
    shard_state *one = &of->shards[said->shard];
    of->of_rank[rank] = NONE;
    if (said->shard == NONE) return;
    one->running--;
    if (one->done) return;
    if (!said->failed) {
        one->done = true;
        of->left--;
    } else if (++one->tries >= MOST_TRIES) {
        fprintf(stderr, "marey-mpi: shard %d failed %d times\n", said->shard, one->tries);
        of->given_up = true;
    }
}

static bool is_over(const handing *of)
{
    return of->left == 0 || of->given_up;
}

/* What a rank that waits is to do; NONE: go on waiting. */
static int hand_out(handing *of, int rank)
{
    int shard = is_over(of) ? STOP : next_shard(of);
    of->of_rank[rank] = shard;
    if (shard > 0) {
        of->shards[shard].running++;
        of->shards[shard].began = of->turn;
    }
    return shard;
}

/* Others drop what is done by now. */
static void drop_what_is_done(handing *of)
{
    for (int rank = 1; rank < of->ranks; rank++) {
        int shard = of->of_rank[rank];
        if (shard <= 0 || (!of->shards[shard].done && !of->given_up)) continue;
        order drop = { .shard = NONE, .drop = shard };
        MPI_Send(&drop, 2, MPI_INT, rank, WORK, MPI_COMM_WORLD);
        of->shards[shard].running--;
        of->of_rank[rank] = DROP;
    }
}

static void hear_others(handing *of)
{
    for (int there = 1; there;) {
        MPI_Status from;
        report said;
        MPI_Iprobe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &there, &from);
        if (!there) break;
        MPI_Recv(&said, 2, MPI_INT, from.MPI_SOURCE, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (of->of_rank[from.MPI_SOURCE] == DROP) said.shard = NONE;
        take_report(of, from.MPI_SOURCE, &said);
    }
    for (int rank = 1; rank < of->ranks; rank++) {
        if (of->of_rank[rank] != NONE) continue;
        order work = { .shard = hand_out(of, rank) };
        if (work.shard != NONE) MPI_Send(&work, 2, MPI_INT, rank, WORK, MPI_COMM_WORLD);
    }
}

/* Those that wait hear that rank 0 is there; else they go (GONE_TURNS). */
static void say_a_word(const handing *of)
{
    static const order wait = { .shard = NONE };
    for (int rank = 1; rank < of->ranks && of->turn % WORD_TURNS == 0; rank++)
        if (of->of_rank[rank] == NONE) MPI_Send(&wait, 2, MPI_INT, rank, WORK, MPI_COMM_WORLD);
}

static bool all_home(const handing *of)
{
    for (int rank = 0; rank < of->ranks; rank++)
        if (of->of_rank[rank] != STOP) return false;
    return true;
}

static int lead(int count, int ranks, char **words, int word_count)
{
    handing of = { .count = count, .ranks = ranks, .left = count };
    of.shards = calloc((size_t)count + 1, sizeof *of.shards);
    of.of_rank = calloc((size_t)ranks, sizeof *of.of_rank);
    if (!of.shards || !of.of_rank) MPI_Abort(MPI_COMM_WORLD, 3);
    for (int rank = 1; rank < ranks; rank++) of.of_rank[rank] = DROP; /* until its first word */
    for (long over = 0; !all_home(&of) && over < 2 * WORD_TURNS; of.turn++) {
        report own = { .shard = of.of_rank[0] };
        if (own.shard > 0 && (of.shards[own.shard].done || of.given_up)) {
            stop();
            own.failed = 1;
            take_report(&of, 0, &own);
        } else if (own.shard > 0 && has_ended(&own.failed)) {
            take_report(&of, 0, &own);
        }
        hear_others(&of);
        drop_what_is_done(&of);
        say_a_word(&of);
        if (is_over(&of)) over++;
        if (of.of_rank[0] == NONE && hand_out(&of, 0) > 0) start(of.of_rank[0], words, word_count);
        pause_shortly();
    }
    bool given_up = of.given_up;
    if (!all_home(&of)) { /* some are gone, and the others wait for them at the end */
        fputs("marey-mpi: a rank is gone; its shard was handed on\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, given_up ? 1 : 0);
    }
    free(of.shards);
    free(of.of_rank);
    return given_up ? 1 : 0;
}

/* ---- the others ------------------------------------------------------------------------------- */

static order next_order(void)
{
    order said;
    int there = 0;
    for (long turn = 0; !there; turn++) {
        MPI_Iprobe(0, WORK, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (turn == GONE_TURNS) MPI_Abort(MPI_COMM_WORLD, 1);
        if (!there) pause_shortly();
    }
    MPI_Recv(&said, 2, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return said;
}

/* Waits for the process, and listens whether it is still wanted. */
static int work_on(int shard)
{
    int failed = 0, there = 0;
    for (; !has_ended(&failed); pause_shortly()) {
        MPI_Iprobe(0, WORK, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there || next_order().drop != shard) continue;
        stop();
        return 1;
    }
    return failed;
}

static void follow(char **words, int word_count)
{
    report said = { .shard = NONE };
    for (;;) {
        order work;
        MPI_Send(&said, 2, MPI_INT, 0, REPORT, MPI_COMM_WORLD);
        do work = next_order();
        while (work.shard == NONE);
        if (work.shard == STOP) return;
        start(work.shard, words, word_count);
        said = (report){ .shard = work.shard, .failed = work_on(work.shard) };
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, status = 0;
    char *end = NULL;
    long count = argc > 2 ? strtol(argv[1], &end, 10) : 0;
    if (count < 1 || count > 1000000 || *end) {
        fputs("usage: mpirun -n RANKS marey-mpi N COMMAND WORD...\n"
              "marey-mpi: run COMMAND WORD... I for I = 1 to N; marey-batch --engine mpi does\n",
              stderr);
        return 2;
    }
    char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return 3;
    for (int i = 2; i < argc; i++) words[i - 2] = argv[i];
    MPI_Init(NULL, NULL);
    signal(SIGTERM, stop_child);
    signal(SIGINT, stop_child);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        status = lead((int)count, ranks, words, argc - 2);
    else
        follow(words, argc - 2);
    MPI_Finalize();
    free(words);
    return status;
}
