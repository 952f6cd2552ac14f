/* Records what a process does to the files below a folder, and what it says on sockets, as one sequence of records.
 *
 * Loaded with LD_PRELOAD. It has the kernel hand over every system call of interest (seccomp, SIGSYS), also those that
 * are made without the C library, makes the call itself, and writes a record of it before it returns. Calls that are
 * recorded are made one at a time, so that their order in the trace is the order in which they happened.
 *
 * RECORDER_FOLDER is the folder, absolute and without links; RECORDER_TRACE the file that records are added to, if there
 * are to be any. trace.py reads them. What a call writes through memory (mmap) is not seen. SIGUSR1 ends the process
 * between two records. faults.h has calls fail, and says how it is told which. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* The one place that system calls of this library come from; the filter lets them pass. */
long raw(long number, long a, long b, long c, long d, long e, long f);
extern const char raw_end[];

#if defined(__x86_64__)
__asm__(".text\n.hidden raw\n.globl raw\nraw:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\n.hidden raw_end\n.globl raw_end\nraw_end:\nret\n");
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define REGISTERS(context) (context)->uc_mcontext.gregs
static const int ARGUMENTS[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
static const int RESULT = REG_RAX;
#elif defined(__aarch64__)
__asm__(".text\n.hidden raw\n.globl raw\nraw:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\n"
        "svc #0\n.hidden raw_end\n.globl raw_end\nraw_end:\nret\n");
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define REGISTERS(context) (context)->uc_mcontext.regs
static const int ARGUMENTS[] = {0, 1, 2, 3, 4, 5};
static const int RESULT = 0;
#else
#error "the registers of this processor are not known here"
#endif

/* As in trace.py. */
enum kind {
    BEGIN = 1, OPEN, CLOSE, DUP, WRITE, TRUNCATE, ALLOCATE, SYNC, RENAME, LINK, UNLINK, MKDIR, RMDIR, ANSWER, FAILED_SYNC
};

struct record {
    uint32_t bytes;
    uint32_t kind;
    int64_t fd;
    int64_t a;
    int64_t b;
    uint32_t path_bytes;
    uint32_t other_bytes;
};

enum { FDS_MAX = 65536, PATH_MAX_BYTES = 4096, ANSWER_BYTES_MAX = 1024, SLICES_MAX = 1024 };

enum what { UNKNOWN, IN_FOLDER, IS_SOCKET, OTHER };

static char folder[PATH_MAX_BYTES];
static size_t folder_bytes;
static int trace_fd = -1;
static volatile char lock;
static volatile unsigned char fds[FDS_MAX];
/* What those in the folder are for. */
static volatile unsigned char classes[FDS_MAX];

static void take_lock(void) {
    if (trace_fd < 0) return;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void give_lock(void) { __atomic_clear(&lock, __ATOMIC_RELEASE); }

static _Noreturn void fail(const char *reason) {
    static const char head[] = "recorder: ";
    raw(SYS_write, 2, (long)head, sizeof head - 1, 0, 0, 0);
    raw(SYS_write, 2, (long)reason, (long)strlen(reason), 0, 0, 0);
    raw(SYS_write, 2, (long)"\n", 1, 0, 0, 0);
    raw(SYS_exit_group, 99, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

#include "faults.h"

/* Adds a record; its data may lie in several slices, of which so many bytes count. */
static void record(enum kind kind, long fd, long a, long b, const char *path, const char *other,
                   const struct iovec *data, int slices, size_t data_bytes) {
    if (trace_fd < 0) return;
    struct iovec parts[SLICES_MAX + 3];
    struct record head = {0, kind, fd, a, b, path ? strlen(path) : 0, other ? strlen(other) : 0};
    head.bytes = sizeof head + head.path_bytes + head.other_bytes + data_bytes;
    int count = 0;
    parts[count++] = (struct iovec){&head, sizeof head};
    parts[count++] = (struct iovec){(void *)path, head.path_bytes};
    parts[count++] = (struct iovec){(void *)other, head.other_bytes};
    for (int at = 0; at < slices && data_bytes > 0; at++) {
        size_t bytes = data[at].iov_len < data_bytes ? data[at].iov_len : data_bytes;
        parts[count++] = (struct iovec){data[at].iov_base, bytes};
        data_bytes -= bytes;
    }
    if (raw(SYS_writev, trace_fd, (long)parts, count, 0, 0, 0) != (long)head.bytes) fail("cannot write the trace");
}

/* The absolute path of what a call names. */
static const char *absolute(int at, const char *path, char *buffer) {
    if (path[0] == '/') return path;
    char link[64] = "/proc/self/cwd";
    if (at != AT_FDCWD) {
        char digits[12];
        int count = 0;
        for (int rest = at; count == 0 || rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
        strcpy(link, "/proc/self/fd/");
        size_t end = strlen(link);
        while (count > 0) link[end++] = digits[--count];
        link[end] = 0;
    }
    long length = raw(SYS_readlinkat, AT_FDCWD, (long)link, (long)buffer, PATH_MAX_BYTES - 1, 0, 0);
    if (length < 0 || length + 1 + strlen(path) >= PATH_MAX_BYTES) return "";
    buffer[length] = '/';
    strcpy(buffer + length + 1, path);
    return buffer;
}

/* What stands behind the folder in a path below it, "" for the folder itself, or a null pointer. */
static const char *below(const char *path) {
    if (strncmp(path, folder, folder_bytes) != 0) return NULL;
    if (path[folder_bytes] == '/') return path + folder_bytes + 1;
    return path[folder_bytes] == 0 ? "" : NULL;
}

static enum what what_is(long fd) {
    if (fd < 0 || fd >= FDS_MAX) return OTHER;
    if (fds[fd] == UNKNOWN) {
        struct stat about;
        long status = raw(SYS_fstat, fd, (long)&about, 0, 0, 0, 0);
        fds[fd] = status == 0 && S_ISSOCK(about.st_mode) ? IS_SOCKET : OTHER;
    }
    return fds[fd];
}

static int in_folder(long fd) { return what_is(fd) == IN_FOLDER; }

/* The name below the folder of an open file, for a fault that strikes it. */
static const char *name_of(long fd, char *buffer) {
    const char *path = absolute((int)fd, "", buffer);
    size_t length = strlen(path);
    /* There is nothing behind the last slash. */
    if (length > 0) buffer[length - 1] = 0;
    const char *name = below(path);
    return name ? name : "";
}

static int fault_of_open(enum call call, long fd, int takes_space) {
    if (!control) return NO_FAULT;
    char buffer[PATH_MAX_BYTES];
    return fault_of(call, classes[fd], name_of(fd, buffer), takes_space);
}

static int fault_of_name(enum call call, const char *path, const char *name) {
    if (!control) return NO_FAULT;
    struct stat about;
    int is_there = raw(SYS_newfstatat, AT_FDCWD, (long)path, (long)&about, AT_SYMLINK_NOFOLLOW, 0, 0) == 0;
    int is_folder = call == CALL_MKDIR || call == CALL_RMDIR || (is_there && S_ISDIR(about.st_mode));
    return fault_of(call, class_of(name, is_folder), name, !is_there);
}

static enum class class_of_open(long fd, const char *name) {
    struct stat about;
    return class_of(name, raw(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) == 0 && S_ISDIR(about.st_mode));
}

static long opened(long number, const long *args, int at, const char *path, long flags) {
    char buffer[PATH_MAX_BYTES];
    const char *whole = absolute(at, path, buffer), *name = below(whole);
    if (!name) return raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if ((flags & O_TMPFILE) == O_TMPFILE) fail("files without a name are not recorded");
    int failure = fault_of_name(flags & O_CREAT ? CALL_CREATE : CALL_OPEN, whole, name);
    if (failure > 0) return -failure;
    take_lock();
    long fd = raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (fd >= FDS_MAX) fail("too many open files");
    if (fd >= 0) {
        fds[fd] = IN_FOLDER;
        classes[fd] = class_of_open(fd, name);
        record(OPEN, fd, flags, 0, name, NULL, NULL, 0, 0);
    }
    give_lock();
    return fd;
}

static long closed(long fd) {
    int is_recorded = in_folder(fd);
    if (is_recorded) take_lock();
    /* Before the call: afterwards the number may be somebody else's. */
    if (fd >= 0 && fd < FDS_MAX) fds[fd] = UNKNOWN;
    if (is_recorded) record(CLOSE, fd, 0, 0, NULL, NULL, NULL, 0, 0);
    long status = raw(SYS_close, fd, 0, 0, 0, 0, 0);
    if (is_recorded) give_lock();
    return status;
}

static long doubled(long number, const long *args) {
    int is_recorded = in_folder(args[0]);
    if (is_recorded) take_lock();
    long fd = raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (fd >= 0 && fd < FDS_MAX) {
        fds[fd] = is_recorded ? IN_FOLDER : UNKNOWN;
        if (is_recorded) classes[fd] = classes[args[0]];
    }
    if (is_recorded && fd >= 0) record(DUP, args[0], fd, 0, NULL, NULL, NULL, 0, 0);
    if (is_recorded) give_lock();
    return fd;
}

/* Whether a write makes a file longer; the others have their space already. */
static int takes_space(long fd, long place, size_t bytes) {
    struct stat about;
    if (place < 0) place = raw(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    return raw(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0 || place + (long)bytes > about.st_size;
}

/* Takes the first half of what a write is to write. */
static int halve(struct iovec *half, const struct iovec *data, int slices, size_t bytes) {
    size_t rest = bytes / 2;
    int count = 0;
    for (; rest > 0; count++) {
        half[count] = (struct iovec){data[count].iov_base, data[count].iov_len < rest ? data[count].iov_len : rest};
        rest -= half[count].iov_len;
    }
    return count < slices ? count : slices;
}

static long written_half(long fd, const struct iovec *data, int slices, size_t bytes, long place) {
    struct iovec half[SLICES_MAX];
    int count = halve(half, data, slices, bytes);
    if (place < 0) return raw(SYS_writev, fd, (long)half, count, 0, 0, 0);
    return raw(SYS_pwritev, fd, (long)half, count, place, 0, 0);
}

/* A write to a file or a socket. The place in the file is told, or it is where the last write ended. */
static long written(long number, const long *args, const struct iovec *data, int slices, long place) {
    enum what what = what_is(args[0]);
    if (what == OTHER) return raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (slices > SLICES_MAX) fail("too many slices in one write");
    size_t whole = 0;
    for (int at = 0; at < slices; at++) whole += data[at].iov_len;
    int failure = what == IN_FOLDER && control
        ? fault_of_open(CALL_WRITE, args[0], takes_space(args[0], place, whole)) : NO_FAULT;
    if (failure > 0 && !fault.is_torn) return -failure;
    take_lock();
    long bytes = failure != NO_FAULT && whole > 1
        ? written_half(args[0], data, slices, whole, place)
        : raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (bytes > 0 && what == IN_FOLDER) {
        if (place < 0) place = raw(SYS_lseek, args[0], 0, SEEK_CUR, 0, 0, 0) - bytes;
        record(WRITE, args[0], place, 0, NULL, NULL, data, slices, (size_t)bytes);
    } else if (bytes > 0) {
        size_t kept = bytes < ANSWER_BYTES_MAX ? (size_t)bytes : ANSWER_BYTES_MAX;
        record(ANSWER, args[0], bytes, 0, NULL, NULL, data, slices, kept);
    }
    give_lock();
    return failure > 0 ? -failure : bytes;
}

/* A change of a file's length, or a sync. */
static long changed(long number, const long *args, enum call call, enum kind kind, long a, long b) {
    if (!in_folder(args[0])) return raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    int failure = fault_of_open(call, args[0], 1);
    if (failure == PRETEND) return 0;
    if (failure > 0) {
        take_lock();
        if (kind == SYNC) record(FAILED_SYNC, args[0], a, b, NULL, NULL, NULL, 0, 0);
        give_lock();
        return -failure;
    }
    take_lock();
    long status = raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (status == 0) record(kind, args[0], a, b, NULL, NULL, NULL, 0, 0);
    give_lock();
    return status;
}

/* A change of names. */
static long named(long number, const long *args, enum call call, enum kind kind, long flags, int at, long path,
                  int other_at, long other) {
    char buffer[PATH_MAX_BYTES], other_buffer[PATH_MAX_BYTES];
    const char *whole = absolute(at, (const char *)path, buffer), *name = below(whole);
    const char *other_name = other ? below(absolute(other_at, (const char *)other, other_buffer)) : NULL;
    if (!name && !other_name) return raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (!name || (other && !other_name)) fail("a name moves into the folder or out of it");
    int failure = fault_of_name(call, whole, name);
    if (failure > 0) return -failure;
    take_lock();
    long status = raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (status == 0) record(kind, -1, flags, 0, name, other_name, NULL, 0, 0);
    give_lock();
    return status;
}

/* What is not recorded, because it changes nothing, and can fail all the same. */
static long looked_at(long number, const long *args, enum call call, long fd) {
    int failure = in_folder(fd) ? fault_of_open(call, fd, 0) : NO_FAULT;
    if (failure > 0) return -failure;
    /* Whoever reads must be ready to get less than asked for. */
    long bytes = failure == HALF && call == CALL_READ && args[2] > 1 ? args[2] / 2 : args[2];
    return raw(number, args[0], args[1], bytes, args[3], args[4], args[5]);
}

static long looked_up(long number, const long *args) {
    const char *path = (const char *)args[1];
    if (!path || path[0] == 0) return looked_at(number, args, CALL_STAT, args[0]);
    char buffer[PATH_MAX_BYTES];
    const char *whole = absolute((int)args[0], path, buffer), *name = below(whole);
    int failure = name ? fault_of_name(CALL_STAT, whole, name) : NO_FAULT;
    return failure > 0 ? -failure : raw(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static long call(long number, const long *args) {
    const struct iovec one = {(void *)args[1], (size_t)args[2]};
    const struct iovec *several = (const struct iovec *)args[1];
    switch (number) {
    case SYS_openat: return opened(number, args, (int)args[0], (const char *)args[1], args[2]);
    case SYS_close: return closed(args[0]);
    case SYS_dup: case SYS_dup3: case SYS_fcntl: return doubled(number, args);
    case SYS_write: return written(number, args, &one, 1, -1);
    case SYS_pwrite64: return written(number, args, &one, 1, args[3]);
    case SYS_writev: return written(number, args, several, (int)args[2], -1);
    case SYS_pwritev: case SYS_pwritev2: return written(number, args, several, (int)args[2], args[3]);
    case SYS_sendto: return written(number, args, &one, 1, -1);
    case SYS_sendmsg: {
        const struct msghdr *message = (const struct msghdr *)args[1];
        return written(number, args, message->msg_iov, (int)message->msg_iovlen, -1);
    }
    case SYS_ftruncate: return changed(number, args, CALL_TRUNCATE, TRUNCATE, args[1], 0);
    case SYS_fallocate: return changed(number, args, CALL_ALLOCATE, ALLOCATE, args[1], args[2] + args[3]);
    case SYS_fsync: case SYS_fdatasync: return changed(number, args, CALL_SYNC, SYNC, number == SYS_fdatasync, 0);
    case SYS_renameat: return named(number, args, CALL_RENAME, RENAME, 0, (int)args[0], args[1], (int)args[2], args[3]);
    case SYS_renameat2:
        return named(number, args, CALL_RENAME, RENAME, args[4], (int)args[0], args[1], (int)args[2], args[3]);
    case SYS_linkat: return named(number, args, CALL_LINK, LINK, 0, (int)args[0], args[1], (int)args[2], args[3]);
    case SYS_unlinkat:
        if (args[2] & AT_REMOVEDIR) return named(number, args, CALL_RMDIR, RMDIR, 0, (int)args[0], args[1], 0, 0);
        return named(number, args, CALL_UNLINK, UNLINK, 0, (int)args[0], args[1], 0, 0);
    case SYS_mkdirat: return named(number, args, CALL_MKDIR, MKDIR, 0, (int)args[0], args[1], 0, 0);
    case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv:
        return looked_at(number, args, CALL_READ, args[0]);
    case SYS_getdents64: return looked_at(number, args, CALL_LIST, args[0]);
    case SYS_mmap: return looked_at(number, args, CALL_MAP, args[4]);
    case SYS_fstat: return looked_at(number, args, CALL_STAT, args[0]);
    case SYS_statx: case SYS_newfstatat: return looked_up(number, args);
#if defined(__x86_64__)
    case SYS_open: return opened(number, args, AT_FDCWD, (const char *)args[0], args[1]);
    case SYS_creat: return opened(number, args, AT_FDCWD, (const char *)args[0], O_CREAT | O_WRONLY | O_TRUNC);
    case SYS_dup2: return doubled(number, args);
    case SYS_rename: return named(number, args, CALL_RENAME, RENAME, 0, AT_FDCWD, args[0], AT_FDCWD, args[1]);
    case SYS_link: return named(number, args, CALL_LINK, LINK, 0, AT_FDCWD, args[0], AT_FDCWD, args[1]);
    case SYS_unlink: return named(number, args, CALL_UNLINK, UNLINK, 0, AT_FDCWD, args[0], 0, 0);
    case SYS_mkdir: return named(number, args, CALL_MKDIR, MKDIR, 0, AT_FDCWD, args[0], 0, 0);
    case SYS_rmdir: return named(number, args, CALL_RMDIR, RMDIR, 0, AT_FDCWD, args[0], 0, 0);
#endif
    default: fail("a system call was handed over that nobody asked for");
    }
}

/* Changes which signals are blocked, in what the handler goes back to. The one by which calls are handed over never is:
 * the C library blocks all while a thread ends, and makes calls meanwhile, which the kernel would end the process for. */
static long masked(ucontext_t *context, const long *args) {
    uint64_t mask, before, wanted;
    if (args[3] != sizeof mask) return -EINVAL;
    memcpy(&before, &context->uc_sigmask, sizeof before);
    mask = before;
    if (args[1]) {
        memcpy(&wanted, (const void *)args[1], sizeof wanted);
        if (args[0] == SIG_BLOCK) mask |= wanted;
        else if (args[0] == SIG_UNBLOCK) mask &= ~wanted;
        else if (args[0] == SIG_SETMASK) mask = wanted;
        else return -EINVAL;
        mask &= ~((uint64_t)1 << (SIGSYS - 1));
    }
    if (args[2]) memcpy((void *)args[2], &before, sizeof before);
    memcpy(&context->uc_sigmask, &mask, sizeof mask);
    return 0;
}

static void handle(int signal, siginfo_t *about, void *data) {
    (void)signal;
    ucontext_t *context = data;
    long args[6];
    for (int at = 0; at < 6; at++) args[at] = (long)REGISTERS(context)[ARGUMENTS[at]];
    REGISTERS(context)[RESULT] =
        about->si_syscall == SYS_rt_sigprocmask ? masked(context, args) : call(about->si_syscall, args);
}

/* Ends the process at once, as SIGKILL does, but never in the middle of a record. */
static void end(int signal) {
    take_lock();
    raw(SYS_exit_group, 128 + signal, 0, 0, 0, 0, 0);
}

static const int RECORDED[] = {
    SYS_openat, SYS_close, SYS_dup, SYS_dup3, SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2,
    SYS_sendto, SYS_sendmsg, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_renameat, SYS_renameat2,
    SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_rt_sigprocmask,
#if defined(__x86_64__)
    SYS_open, SYS_creat, SYS_dup2, SYS_rename, SYS_link, SYS_unlink, SYS_mkdir, SYS_rmdir,
#endif
};

/* Handed over only where calls are to fail; of mappings those of files. */
static const int LOOKING[] = {SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_getdents64, SYS_fstat, SYS_statx,
                              SYS_newfstatat};

/* Whoever is refused these does the same by the calls that are recorded. */
static const int REFUSED[] = {SYS_copy_file_range, SYS_sendfile, SYS_splice, SYS_sendmmsg, SYS_io_uring_setup,
                              SYS_openat2, SYS_truncate};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define HIGH(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name) + 4)
#define SKIP_UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, skipped)
#define ANSWER_WITH(what) BPF_STMT(BPF_RET | BPF_K, what)

static void install_filter(void) {
    struct sock_filter code[2 * (COUNT(RECORDED) + COUNT(LOOKING) + COUNT(REFUSED)) + 29];
    uintptr_t own = (uintptr_t)raw_end;
    unsigned short at = 0;
#define ADD(...) code[at++] = (struct sock_filter)__VA_ARGS__
    ADD(FIELD(arch)); ADD(SKIP_UNLESS(ARCHITECTURE, 1)); ADD(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
    ADD(ANSWER_WITH(SECCOMP_RET_KILL_PROCESS));
    ADD(FIELD(instruction_pointer)); ADD(SKIP_UNLESS(own, 3));
    ADD(HIGH(instruction_pointer)); ADD(SKIP_UNLESS((uint64_t)own >> 32, 1)); ADD(ANSWER_WITH(SECCOMP_RET_ALLOW));
    ADD(FIELD(nr));
    for (size_t call = 0; call < COUNT(RECORDED); call++) {
        ADD(SKIP_UNLESS(RECORDED[call], 1)); ADD(ANSWER_WITH(SECCOMP_RET_TRAP));
    }
    for (size_t call = 0; control && call < COUNT(LOOKING); call++) {
        ADD(SKIP_UNLESS(LOOKING[call], 1)); ADD(ANSWER_WITH(SECCOMP_RET_TRAP));
    }
    if (control) {
        ADD(SKIP_UNLESS(SYS_mmap, 4)); ADD(FIELD(args[4]));
        ADD(SKIP_UNLESS(-1, 1)); ADD(ANSWER_WITH(SECCOMP_RET_ALLOW)); ADD(ANSWER_WITH(SECCOMP_RET_TRAP));
    }
    for (size_t call = 0; call < COUNT(REFUSED); call++) {
        ADD(SKIP_UNLESS(REFUSED[call], 1)); ADD(ANSWER_WITH(SECCOMP_RET_ERRNO | ENOSYS));
    }
    ADD(SKIP_UNLESS(SYS_fcntl, 5)); ADD(FIELD(args[1]));
    ADD(SKIP_UNLESS(F_DUPFD, 1)); ADD(ANSWER_WITH(SECCOMP_RET_TRAP));
    ADD(SKIP_UNLESS(F_DUPFD_CLOEXEC, 1)); ADD(ANSWER_WITH(SECCOMP_RET_TRAP));
    ADD(ANSWER_WITH(SECCOMP_RET_ALLOW));
    struct sock_fprog program = {at, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        fail("the kernel takes no filter of system calls");
}

__attribute__((constructor)) static void begin(void) {
    const char *root = getenv("RECORDER_FOLDER"), *path = getenv("RECORDER_TRACE");
    if (!root || strlen(root) >= sizeof folder) fail("RECORDER_FOLDER must be set");
    strcpy(folder, root);
    folder_bytes = strlen(folder);
    if (path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        /* Out of the way of the numbers that the process gets for its own files. */
        trace_fd = fcntl(fd, F_DUPFD_CLOEXEC, 1000);
        if (fd < 0 || trace_fd < 0) fail("cannot open RECORDER_TRACE");
        close(fd);
    }
    begin_faults();
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(SIGSYS, &action, NULL);
    struct sigaction ending = {.sa_handler = end};
    sigaction(SIGUSR1, &ending, NULL);
    install_filter();
    record(BEGIN, -1, getpid(), 0, NULL, NULL, NULL, 0, 0);
}
