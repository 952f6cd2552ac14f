/* Makes calls on the files of the folder fail, and counts them; a part of recorder.c, which asks before each call.
 *
 * RECORDER_CONTROL is a file that is mapped and shared with whoever started the process: control.py reads the counts
 * from it, says from when on calls count, and lifts a fault that lasts. RECORDER_FAULT says which calls fail, as
 * CALL:CLASS:NTH:ERROR:TIMES:
 *
 *   CALL   a name of CALL_NAMES; `space`, all that need space on the disk; `change`, all that change it; or `any`
 *   CLASS  a name of CLASS_NAMES, or `any`
 *   NTH    which of these calls is the first to fail, from 1
 *   ERROR  EIO, ENOSPC, EROFS, `torn` (EIO, but half of the bytes are written), `short` (half of the bytes are, and it
 *          says so), `slow`, or `lie` (of syncs: nothing is done, and it says that all is well)
 *   TIMES  how many fail, or 0 for all from then on, until it is lifted */

#include <sys/mman.h>
#include <time.h>

/* As in control.py. */
enum call {
    CALL_CREATE, CALL_OPEN, CALL_READ, CALL_LIST, CALL_MAP, CALL_STAT, CALL_WRITE, CALL_TRUNCATE, CALL_ALLOCATE,
    CALL_SYNC, CALL_RENAME, CALL_LINK, CALL_UNLINK, CALL_MKDIR, CALL_RMDIR, CALLS
};
static const char *const CALL_NAMES[CALLS] = {"create", "open", "read", "list", "map", "stat", "write", "truncate",
                                              "allocate", "sync", "rename", "link", "unlink", "mkdir", "rmdir"};

enum class {
    CLASS_LOG, CLASS_SEGMENT, CLASS_CATALOG, CLASS_WAL, CLASS_SHM, CLASS_INTENT, CLASS_PARTIALS, CLASS_SPILL,
    CLASS_QUARANTINE, CLASS_KEY, CLASS_FOLDER, CLASS_OTHER, CLASSES
};
static const char *const CLASS_NAMES[CLASSES] = {"log", "segment", "catalog", "wal", "shm", "intent", "partials",
                                                 "spill", "quarantine", "key", "folder", "other"};

#define BIT(call) (1u << (call))
static const unsigned NEED_SPACE = BIT(CALL_CREATE) | BIT(CALL_WRITE) | BIT(CALL_ALLOCATE) | BIT(CALL_MKDIR);
static const unsigned CHANGE = BIT(CALL_CREATE) | BIT(CALL_WRITE) | BIT(CALL_TRUNCATE) | BIT(CALL_ALLOCATE) |
                               BIT(CALL_SYNC) | BIT(CALL_RENAME) | BIT(CALL_LINK) | BIT(CALL_UNLINK) |
                               BIT(CALL_MKDIR) | BIT(CALL_RMDIR);

/* Beside errors of the system, which are positive. */
enum { NO_FAULT = 0, HALF = -1, PRETEND = -2 };

enum { SLOW_MILLISECONDS = 400, STRUCK_PATH_BYTES = 256 };

/* As in control.py. */
struct control {
    uint32_t is_armed;
    uint32_t is_lifted;
    uint32_t struck;
    /* Calls that are of the kind that fails. */
    uint32_t met;
    uint32_t counts[CALLS][CLASSES];
    /* Of the first that failed. */
    char path[STRUCK_PATH_BYTES];
};

static struct control *control;

static struct {
    unsigned calls, classes, first, times;
    int error, is_slow, is_torn, needs_space;
} fault;

static int is_one_of(const char *name, const char *const *names, int count) {
    for (int at = 0; at < count; at++)
        if (strcmp(name, names[at]) == 0) return at;
    return -1;
}

static int starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* What a file of the data folder is for, by its name below RECORDER_FOLDER. */
static enum class class_of(const char *name, int is_folder) {
    if (is_folder) return CLASS_FOLDER;
    if (starts_with(name, "data/log/")) return strstr(name, ".log") ? CLASS_LOG : CLASS_OTHER;
    if (starts_with(name, "data/segments/")) return CLASS_SEGMENT;
    if (starts_with(name, "data/catalog.sqlite")) {
        if (strstr(name, "-wal") || strstr(name, "-journal")) return CLASS_WAL;
        return strstr(name, "-shm") ? CLASS_SHM : CLASS_CATALOG;
    }
    if (starts_with(name, "data/intents/")) return CLASS_INTENT;
    if (starts_with(name, "data/partials/")) return CLASS_PARTIALS;
    if (starts_with(name, "data/spill/")) return CLASS_SPILL;
    if (starts_with(name, "data/quarantine/")) return CLASS_QUARANTINE;
    if (starts_with(name, "data/secret") || starts_with(name, "data/first-token")) return CLASS_KEY;
    return CLASS_OTHER;
}

/* Counts a call, and says what is to become of it. Whether it takes space on the disk is asked only when that counts. */
static int fault_of(enum call call, enum class class, const char *name, int takes_space) {
    if (!control || !__atomic_load_n(&control->is_armed, __ATOMIC_ACQUIRE)) return NO_FAULT;
    __atomic_fetch_add(&control->counts[call][class], 1, __ATOMIC_RELAXED);
    if (!(fault.calls & BIT(call)) || !(fault.classes & BIT(class)) || (fault.needs_space && !takes_space))
        return NO_FAULT;
    uint32_t place = __atomic_add_fetch(&control->met, 1, __ATOMIC_RELAXED);
    if (place < fault.first || (fault.times && place >= fault.first + fault.times)) return NO_FAULT;
    if (__atomic_load_n(&control->is_lifted, __ATOMIC_ACQUIRE)) return NO_FAULT;
    if (__atomic_fetch_add(&control->struck, 1, __ATOMIC_RELAXED) == 0)
        strncpy(control->path, name, STRUCK_PATH_BYTES - 1);
    if (fault.is_slow) {
        struct timespec time = {SLOW_MILLISECONDS / 1000, SLOW_MILLISECONDS % 1000 * 1000000L};
        raw(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
    }
    return fault.error;
}

static void read_error(const char *name) {
    static const struct { const char *name; int error; } ERRORS[] = {
        {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EROFS", EROFS}, {"torn", EIO}, {"short", HALF}, {"lie", PRETEND},
        {"slow", NO_FAULT},
    };
    for (size_t at = 0; at < sizeof ERRORS / sizeof ERRORS[0]; at++)
        if (strcmp(name, ERRORS[at].name) == 0) {
            fault.error = ERRORS[at].error;
            fault.is_slow = strcmp(name, "slow") == 0;
            fault.is_torn = strcmp(name, "torn") == 0;
            return;
        }
    fail("RECORDER_FAULT has an error that is not known");
}

static void read_fault(const char *text) {
    char call[16], class[16], error[16];
    if (sscanf(text, "%15[^:]:%15[^:]:%u:%15[^:]:%u", call, class, &fault.first, error, &fault.times) != 5)
        fail("RECORDER_FAULT is not of the form CALL:CLASS:NTH:ERROR:TIMES");
    int one = is_one_of(call, CALL_NAMES, CALLS);
    fault.needs_space = strcmp(call, "space") == 0;
    fault.calls = one >= 0 ? BIT(one) : fault.needs_space ? NEED_SPACE : strcmp(call, "change") == 0 ? CHANGE : ~0u;
    if (one < 0 && fault.calls == ~0u && strcmp(call, "any") != 0) fail("RECORDER_FAULT has a call that is not known");
    one = is_one_of(class, CLASS_NAMES, CLASSES);
    if (one < 0 && strcmp(class, "any") != 0) fail("RECORDER_FAULT has a class that is not known");
    fault.classes = one >= 0 ? BIT(one) : ~0u;
    read_error(error);
}

/* Before the filter is there. */
static void begin_faults(void) {
    const char *path = getenv("RECORDER_CONTROL"), *text = getenv("RECORDER_FAULT");
    if (!path) return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) fail("cannot open RECORDER_CONTROL");
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (control == MAP_FAILED) fail("cannot map RECORDER_CONTROL");
    if (text) read_fault(text);
}
