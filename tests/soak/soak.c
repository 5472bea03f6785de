/* soak.c - the studio under many clients, round after round: each ends with a kill, or with a pause
   in which all rest. Then what is on its way is over, and all that clients own must be as their
   models say. Prints one table; ends with 1 if anything was wrong, or not flat. */
#include "soak.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUND_S = 60, MOST_SIZES = 4096, STACK_BYTES = 512 << 10, MOST_CLIENTS = 100, QUIET_S = 60 };

/* Each of the studio's connections to the library opens its log when it reads for the first time. */
enum { LATE_HANDLES = 4 };

/* Memory goes up and down with what is kept to save time, so its floor is what counts: in the last
   third of the rounds without a kill it may be higher by so much than in the second. Fewer rounds,
   or answers, say nothing: not all was done once. */
enum { MOST_RISE_KIB = 12 << 10, LEAST_SIZES = 9, LEAST_ANSWERS = 60000, LEAST_PAUSES = 4 };

const soak_action soak_actions[] = {
    { "known answers", 400, ask_known },
    { "known answers by their tag", 20, ask_known_again },
    { "heads", 20, ask_head },
    { "two requests at once", 20, ask_two_at_once },
    { "invalid requests", 40, ask_refused },
    { "own clips", 90, ask_own_details },
    { "frames of own clips", 60, ask_own_frames },
    { "foot plants of own clips", 20, ask_own_plants },
    { "lists of own clips", 20, ask_own_list },
    { "lists of all clips", 8, ask_list_since },
    { "lists of jobs", 8, ask_jobs },
    { "cuts", 14, do_cut },
    { "made clips", 4, do_make },
    { "imports", 5, do_import },
    { "labels", 22, do_label },
    { "descriptions, licences", 12, do_describe },
    { "labels of frames", 8, do_stretch },
    { "renamed", 12, do_rename },
    { "foot plants", 8, do_plants },
    { "removed", 10, do_remove },
    { "restored", 6, do_restore },
    { "purged", 3, do_purge },
    { "undone, redone", 12, do_undo },
    { "saved things", 4, do_save },
    { "saved things looked at", 6, ask_saved },
    { "saved things forgotten", 3, do_drop_saved },
    { "saved things renamed", 2, do_rename_saved },
    { "exports, puppets run", 3, do_job },
    { "jobs cancelled", 2, do_cancel },
    { "index", 1, do_index },
    { "verify", 0, do_verify },
    { "news", 1, live_events },
    { "poses", 2, live_stream },
    { "steered", 1, live_steer },
    { "reactions", 2, live_reacts },
    { "sockets that vanish", 2, live_vanish },
    { "requests not finished", 8, rude_half_request },
    { "changes without a wait", 5, rude_change_and_go },
    { "answers left in the middle", 4, rude_leave_answer },
    { "answers read slowly", 2, rude_read_slowly },
    { NULL, 0, NULL },
};

bool test_has_argument(const char *text)
{
    (void)text;
    return false;
}

/* ---- a client -------------------------------------------------------------------------------- */

static void act(soak_client *client)
{
    int at = (int)soak_draw(&client->random, (uint64_t)client->all->shares), i = 0;
    while (at >= soak_actions[i].share) at -= soak_actions[i++].share;
    soak_actions[i].run(client);
    atomic_fetch_add(&client->all->runs[i], 1);
}

static void *live(void *user)
{
    soak_client *client = user;
    soak *all = client->all;
    for (long round = 1;; round++) {
        pthread_mutex_lock(&all->lock);
        all->resting++;
        pthread_cond_broadcast(&all->changed);
        while (all->round < round && !all->over) pthread_cond_wait(&all->changed, &all->lock);
        bool over = all->over;
        pthread_mutex_unlock(&all->lock);
        if (over) return NULL;
        while (!atomic_load(&all->closing) && !soak_breaks(client)) act(client);
        soak_close(client, false);
    }
}

static void wait_until_all_rest(soak *all)
{
    pthread_mutex_lock(&all->lock);
    while (all->resting < all->def.clients) pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

static void begin_round(soak *all)
{
    pthread_mutex_lock(&all->lock);
    atomic_store(&all->closing, false);
    all->resting = 0;
    all->round++;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

static void start_clients(soak *all)
{
    pthread_attr_t kind;
    pthread_attr_init(&kind);
    pthread_attr_setstacksize(&kind, STACK_BYTES);
    all->clients = calloc((size_t)all->def.clients, sizeof *all->clients);
    for (int i = 0; i < all->def.clients; i++) {
        soak_client *client = &all->clients[i];
        *client = (soak_client){ .all = all, .number = i };
        client->random = all->def.seed * 1000003 + (uint64_t)i;
        own_begin(client);
        if (pthread_create(&client->thread, &kind, live, client) != 0) abort();
    }
    pthread_attr_destroy(&kind);
    wait_until_all_rest(all);
}

static void end_clients(soak *all)
{
    pthread_mutex_lock(&all->lock);
    all->over = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    for (int i = 0; i < all->def.clients; i++) pthread_join(all->clients[i].thread, NULL);
}

/* ---- when all rest --------------------------------------------------------------------------- */

/* All connections but so many are closed, the one that listens among them. */
static bool wait_for_sockets(soak *all, int left)
{
    double until = wire_now() + QUIET_S;
    while (host_size(&all->host).sockets > left) {
        if (wire_now() > until) return false;
        usleep(5000);
    }
    return true;
}

/* Connections are closed when their requests are answered, and all jobs are over: nothing is on its
   way any more. */
static void wait_until_idle(soak *all, soak_client *judge)
{
    double until = wire_now() + QUIET_S;
    bool busy = true;
    while (busy && wire_now() < until) {
        http_answer answer = soak_get(judge, "/api/jobs");
        busy = answer.status != 200 || strstr(answer.body, "\"state\":\"waiting\"") ||
               strstr(answer.body, "\"state\":\"running\"");
        wire_free(&answer);
        if (busy) usleep(20000);
    }
    if (busy) soak_wrong(judge, NULL, "that all jobs are over");
    if (!wait_for_sockets(all, 2)) soak_wrong(judge, NULL, "that all connections are closed");
}

static char *list_now(soak_client *judge)
{
    http_answer answer = soak_get(judge, "/api/clips");
    char *clips = answer.body ? strstr(answer.body, "\"clips\"") : NULL;
    char *copy = strdup(clips ? clips : "");
    wire_free(&answer);
    return copy;
}

/* The last change is undone and done again: the library is what it was. */
static void check_undo(soak_client *judge)
{
    char *before = list_now(judge);
    http_answer undone = soak_change(judge, "/api/do/undo", "{}");
    bool none = undone.status == 404 && strstr(undone.body, "nothing to undo"); /* all was purged */
    json_t *said = none ? NULL : soak_json(judge, &undone, 200);
    bool any = json_integer_value(json_object_get(said, "count")) > 0;
    json_decref(said);
    wire_free(&undone);
    if (any) {
        http_answer redone = soak_change(judge, "/api/do/redo", "{}");
        json_decref(soak_json(judge, &redone, 200));
        wire_free(&redone);
    }
    char *after = list_now(judge);
    if (strcmp(before, after) != 0) soak_wrong(judge, NULL, "after undo and redo the same list");
    free(before);
    free(after);
}

/* The program on the command line lists what the studio listed last. */
static void check_command_line(soak *all, const char *listed)
{
    soak_client judge = { .all = all, .number = -1, .asked = "marey ls" };
    char *text = host_run(&all->host, "ls", all->host.library, "--json", NULL);
    json_t *own = json_loads(text, 0, NULL), *other = NULL;
    char *whole = NULL;
    if (asprintf(&whole, "{%s", listed) < 0) abort();
    other = json_loads(whole, 0, NULL);
    if (!own || !json_equal(json_object_get(own, "clips"), json_object_get(other, "clips")))
        soak_wrong(&judge, NULL, "on the command line the same clips");
    json_decref(own);
    json_decref(other);
    free(whole);
    free(text);
    free(host_run(&all->host, "verify", all->host.library, NULL));
}

static void check_all(soak *all)
{
    soak_client judge = { .all = all, .number = -1 };
    wait_until_idle(all, &judge);
    own_settle(all, &judge);
    check_undo(&judge);
    do_verify(&judge);
    soak_close(&judge, false);
}

/* ---- how large it is ------------------------------------------------------------------------- */

typedef struct size_list {
    soak_size all[MOST_SIZES];
    int count;
    int first; /* of the process that runs */
} size_list;

/* The least memory in thirds of the rounds of the last process. */
static long floor_kib(const size_list *of, int third)
{
    int count = of->count - of->first;
    long least = LONG_MAX;
    for (int i = of->first + third * count / 3; i < of->first + (third + 1) * count / 3; i++)
        if (of->all[i].memory_kib < least) least = of->all[i].memory_kib;
    return least;
}

static void measure(soak *all, size_list *to)
{
    if (to->count == MOST_SIZES) return;
    wait_for_sockets(all, 1);
    soak_size now = host_size(&all->host);
    now.answers = atomic_load(&all->answers);
    to->all[to->count++] = now;
}

/* The most handles and threads of the first half of a process, in which all was done once. */
static soak_size most_of(const size_list *of)
{
    soak_size most = of->all[of->first];
    for (int i = of->first; i < of->first + (of->count - of->first + 1) / 2; i++) {
        if (of->all[i].handles > most.handles) most.handles = of->all[i].handles;
        if (of->all[i].threads > most.threads) most.threads = of->all[i].threads;
    }
    return most;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void run_round(soak *all, long answers, double seconds)
{
    double until = wire_now() + seconds;
    begin_round(all);
    while (answers ? atomic_load(&all->answers) < answers : wire_now() < until) {
        if (!host_lives(&all->host)) return;
        usleep(2000);
    }
}

static void copy_file(const char *from, const char *to)
{
    if (access(from, F_OK) == 0)
        test_file_copy(from, to);
    else
        unlink(to);
}

/* For tests of this program: the library loses what was done in this round. */
static void keep_library(const soak *all, bool back)
{
    char now[400], before[400];
    if (!all->def.rewind) return;
    snprintf(before, sizeof before, "%s/before.marey", all->def.folder);
    snprintf(now, sizeof now, "%s", all->host.library);
    if (!back) {
        test_file_copy(now, before);
        return;
    }
    copy_file(before, now);
    for (int k = 0; k < 2; k++) {
        snprintf(now, sizeof now, "%s%s", all->host.library, k ? "-wal" : "-shm");
        unlink(now);
    }
}

static void end_by_kill(soak *all)
{
    atomic_store(&all->killing, true);
    if (!host_kill(&all->host)) {
        fprintf(stderr, "wrong: the studio ended by itself; see said.txt\n");
        atomic_fetch_add(&all->wrong, 1);
    }
    wait_until_all_rest(all);
    keep_library(all, true);
    host_start(&all->host);
    atomic_store(&all->killing, false);
    check_all(all);
}

static void end_by_pause(soak *all, size_list *to)
{
    atomic_store(&all->closing, true);
    wait_until_all_rest(all);
    check_all(all);
    measure(all, to);
}

static void say_progress(const soak *all, const size_list *of, double since, const char *what)
{
    const soak_size *last = of->count ? &of->all[of->count - 1] : NULL;
    fprintf(stderr, "%6.0f s  %9ld answers  %8ld messages  %ld wrong  %s", wire_now() - since,
            atomic_load(&all->answers), atomic_load(&all->messages), atomic_load(&all->wrong),
            what);
    if (last)
        fprintf(stderr, "  %ld KiB, %d handles, %d threads", last->memory_kib, last->handles,
                last->threads);
    fputc('\n', stderr);
}

/* Rounds of one length; the time to the kill is drawn. How many there were. */
static int run_rounds(soak *all, size_list *to, int rounds, bool kills, long answers,
                      double minutes, double since)
{
    double until = wire_now() + 60 * minutes;
    uint64_t random = all->def.seed + kills;
    int done = 0;
    for (; answers ? done < rounds : wire_now() < until; done++) {
        double share = kills ? 0.5 + 0.5 * (double)soak_draw(&random, 1000) / 1000 : 1;
        long target = atomic_load(&all->answers) + (long)((double)answers * share);
        keep_library(all, false);
        run_round(all, answers ? target : 0, ROUND_S * share);
        if (kills || !host_lives(&all->host))
            end_by_kill(all);
        else
            end_by_pause(all, to);
        say_progress(all, to, since, kills ? "killed" : "paused");
    }
    return done;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool print_sizes(const size_list *of)
{
    if (of->count <= of->first) return true;
    const soak_size *begin = &of->all[of->first], *end = &of->all[of->count - 1];
    soak_size most = most_of(of);
    bool flat = end->handles <= most.handles + LATE_HANDLES && end->threads <= most.threads;
    printf("%-34s %ld -> %ld KiB of its own, %ld -> %ld KiB resident, %ld answers\n",
           "without a kill: memory", begin->memory_kib, end->memory_kib, begin->resident_kib,
           end->resident_kib, end->answers - begin->answers);
    bool enough = end->answers - begin->answers >= LEAST_ANSWERS;
    if (of->count - of->first >= LEAST_SIZES && enough) {
        long before = floor_kib(of, 1), after = floor_kib(of, 2);
        printf("%-34s %ld KiB in the second third, %ld KiB in the last (at most %d more)\n",
               "its floor", before, after, MOST_RISE_KIB);
        flat = flat && after <= before + MOST_RISE_KIB;
    }
    printf("%-34s %d, at most %d in the first half -> %d\n", "handles", begin->handles,
           most.handles, end->handles);
    printf("%-34s %d, at most %d in the first half -> %d\n", "threads", begin->threads,
           most.threads, end->threads);
    printf("%-34s %s\n", "flat", flat ? "yes" : "NO");
    return flat;
}

/* Is it flat? */
static bool print_table(soak *all, const size_list *of, int kills, double seconds)
{
    printf("%ld answers of %d clients in %.0f s, %ld messages of WebSockets, %d kills\n",
           atomic_load(&all->answers), all->def.clients, seconds, atomic_load(&all->messages),
           kills);
    for (int i = 0; soak_actions[i].name; i++)
        printf("  %-32s %ld\n", soak_actions[i].name, atomic_load(&all->runs[i]));
    printf("%-34s %ld\n", "wrong", atomic_load(&all->wrong));
    printf("%-34s %ld, %ld of them done\n", "changes on their way, settled",
           atomic_load(&all->open_changes), atomic_load(&all->open_done));
    printf("%-34s %ld\n", "refused for a moment (503)", atomic_load(&all->refused));
    printf("%-34s %ld\n", "undo after the history was cleared", atomic_load(&all->undo_refused));
    printf("%-34s %ld\n", "jobs and files that made room", atomic_load(&all->forgotten));
    if (all->def.spoil)
        printf("%-34s %ld, %ld found, %ld not\n", "spoiled", atomic_load(&all->spoiled),
               atomic_load(&all->found), atomic_load(&all->unseen));
    return print_sizes(of);
}

/* Long soaking is done in pieces, on machines that are idle for a while. */
static void log_run(const soak *all, const size_list *of, int kills, double seconds, bool flat)
{
    FILE *file = fopen(all->def.log, "a");
    if (!file) {
        perror(all->def.log);
        exit(2);
    }
    char day[16];
    time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    bool any = of->count > of->first;
    if (ftell(file) == 0)
        fprintf(file, "day,commit,clients,seconds,answers,messages,kills,wrong,first_kib,last_kib,"
                      "flat\n");
    fprintf(file, "%s,%s,%d,%.0f,%ld,%ld,%d,%ld,%ld,%ld,%s\n", day,
            all->def.name ? all->def.name : "", all->def.clients, seconds,
            atomic_load(&all->answers), atomic_load(&all->messages), kills,
            atomic_load(&all->wrong), any ? of->all[of->first].memory_kib : 0,
            any ? of->all[of->count - 1].memory_kib : 0, flat ? "yes" : "no");
    if (fclose(file) != 0) perror(all->def.log);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void begin_again(soak *all)
{
    atomic_store(&all->killing, true);
    host_kill(&all->host);
    host_start(&all->host);
    atomic_store(&all->killing, false);
}

/* Was what was done on purpose noticed? Bytes of numbers that are different each time are none. */
static bool was_noticed(soak *all, bool flat)
{
    long spoiled = atomic_load(&all->spoiled), found = atomic_load(&all->found);
    long wrong = atomic_load(&all->wrong);
    printf(
        "noticed: %ld of %ld spoiled answers; %s; %ld wrong answers after a library was put back\n",
        found, spoiled, flat ? "no leak" : "a leak", wrong);
    return found * 10 >= spoiled * 9 && spoiled > 0 && !flat && wrong > 0;
}

static int run(const soak_def *def)
{
    static soak all;
    static size_list sizes;
    double since = wire_now();
    all.def = *def;
    all.host = (soak_host){ .program = def->program, .folder = def->folder };
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.changed, NULL);
    for (int i = 0; soak_actions[i].name; i++) all.shares += soak_actions[i].share;
    known_make(&all);
    fprintf(stderr, "%6.0f s  %d answers are known\n", wire_now() - since, all.known.count);
    atomic_store(&all.answers, 0);
    atomic_store(&all.messages, 0);
    start_clients(&all);
    double began = wire_now();
    int kills = 0, pauses = def->kills > LEAST_PAUSES ? def->kills : LEAST_PAUSES;
    long each = def->answers / (def->kills + pauses);
    if (def->kills || !def->answers)
        kills = run_rounds(&all, &sizes, def->kills, true, each, def->minutes / 2, began);
    all.host.leak = def->leak;
    if (def->leak) begin_again(&all);
    sizes.first = sizes.count;
    run_rounds(&all, &sizes, pauses, false, each, def->minutes / 2, began);
    double seconds = wire_now() - began;
    end_clients(&all);
    soak_client judge = { .all = &all, .number = -1 };
    char *listed = list_now(&judge);
    soak_close(&judge, false);
    int status = host_stop(&all.host);
    if (status != 130) {
        fprintf(stderr, "wrong: the studio ended with %d\n", status);
        atomic_fetch_add(&all.wrong, 1);
    }
    check_command_line(&all, listed);
    free(listed);
    bool flat = print_table(&all, &sizes, kills, seconds);
    if (def->log) log_run(&all, &sizes, kills, seconds, flat);
    bool good = def->notices ? was_noticed(&all, flat) : flat && atomic_load(&all.wrong) == 0;
    known_free(&all.known);
    free(all.clients);
    return good ? 0 : 1;
}

/* What the tests try: counted in answers, so that a busy machine only takes longer. */
static void set_share(soak_def *def, bool notices)
{
    bool all = test_is_long();
    def->answers = notices ? 2000 : all ? 200000 : 3000;
    def->kills = notices ? 1 : all ? 20 : 2;
    def->clients = notices || !all ? 40 : MOST_CLIENTS;
    def->notices = def->rewind = notices;
    def->spoil = notices ? 20 : 0;
}

int main(int count, char **arguments)
{
    static const struct option options[] = {
        { "answers", required_argument, NULL, 'a' },
        { "minutes", required_argument, NULL, 'm' },
        { "clients", required_argument, NULL, 'c' },
        { "kills", required_argument, NULL, 'k' },
        { "seed", required_argument, NULL, 's' },
        { "spoil", required_argument, NULL, 'p' },
        { "leak", required_argument, NULL, 'l' },
        { "rewind", no_argument, NULL, 'r' },
        { "log", required_argument, NULL, 'o' },
        { "name", required_argument, NULL, 'i' },
        { "test", no_argument, NULL, 't' },
        { "notices", no_argument, NULL, 'n' },
        { NULL, 0, NULL, 0 },
    };
    soak_def def = { .seed = 1, .clients = MOST_CLIENTS, .minutes = 10 };
    for (int at; (at = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        switch (at) {
        case 'a': def.answers = atol(optarg); break;
        case 'm': def.minutes = atof(optarg); break;
        case 'c': def.clients = atoi(optarg); break;
        case 'k': def.kills = atoi(optarg); break;
        case 's': def.seed = strtoull(optarg, NULL, 10); break;
        case 'p': def.spoil = atol(optarg); break;
        case 'l': def.leak = optarg; break;
        case 'r': def.rewind = true; break;
        case 'o': def.log = optarg; break;
        case 'i': def.name = optarg; break;
        case 't': set_share(&def, false); break;
        case 'n': set_share(&def, true); break;
        default: return 2;
        }
    }
    if (optind != count - 1 || def.clients < 1 || def.clients > MOST_CLIENTS) {
        fprintf(
            stderr,
            "usage: soak [--answers N --kills N | --minutes M] [--clients N] [--seed N]\n"
            "            [--spoil N] [--leak MODULE] [--rewind] [--log FILE --name TEXT] PROGRAM\n"
            "       soak --test | --notices --leak MODULE PROGRAM\n");
        return 2;
    }
    if (def.notices) setenv("MAREY_SOAK_LEAK", "handles", 0);
    char folder[256];
    def.program = arguments[optind];
    test_folder_make(folder, sizeof folder);
    def.folder = folder;
    int status = run(&def);
    if (status == 0)
        test_folder_remove(folder);
    else
        fprintf(stderr, "what was left is in %s\n", folder);
    return status;
}
