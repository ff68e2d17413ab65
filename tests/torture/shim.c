/* Preloaded into a process: its n-th change below a folder is its last, or fails.
 *
 * Inactive until shim_arm. A change is a write, a sync, a rename, a deletion, a truncation or an
 * opening to write; they are counted together, in their order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, MOVE = 4, CUT = 8, OPEN = 16 };
enum { KILL_BEFORE = -1, KILL_HALF = -2, KILL_AFTER = -3 };

static char root[4096];
static int kinds, fault, lasting;
static long nth;
static atomic_long seen;

void shim_arm(const char *folder, int which, long number, int what, int for_ever) {
    strncpy(root, folder, sizeof root - 1);
    kinds = which, fault = what, lasting = for_ever, nth = number;
    atomic_store(&seen, 0);
}

long shim_seen(void) { return atomic_load(&seen); }

static int below(const char *path) { return path && !strncmp(path, root, strlen(root)); }

static int below_fd(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    return size > 0 && (path[size] = 0, below(path));
}

static void end(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

/* Return what shall happen: 0, an errno, or a way to be killed. */
static int due(int kind, int ours) {
    if (!(kinds & kind) || !ours) return 0;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (!nth || (lasting ? number < nth : number != nth)) return 0;
    if (fault == KILL_BEFORE) end();
    return fault;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
#define CALL(type, kind, ours, call, half) \
    int what = kinds ? due(kind, ours) : 0; \
    if (what > 0) { errno = what; return -1; } \
    if (what == KILL_HALF) { half; end(); } \
    type result = call; \
    if (what == KILL_AFTER) end(); \
    return result;

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write) CALL(ssize_t, WRITE, below_fd(fd), real(fd, data, size), if (real(fd, data, size / 2)) {})
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(pwrite) CALL(ssize_t, WRITE, below_fd(fd), real(fd, data, size, at), if (real(fd, data, size / 2, at)) {})
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(pwrite64) CALL(ssize_t, WRITE, below_fd(fd), real(fd, data, size, at), if (real(fd, data, size / 2, at)) {})
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev) CALL(ssize_t, WRITE, below_fd(fd), real(fd, parts, count), if (real(fd, parts, count / 2)) {})
}
int fsync(int fd) { REAL(fsync) CALL(int, SYNC, below_fd(fd), real(fd), ) }
int fdatasync(int fd) { REAL(fdatasync) CALL(int, SYNC, below_fd(fd), real(fd), ) }
int ftruncate(int fd, off_t size) { REAL(ftruncate) CALL(int, CUT, below_fd(fd), real(fd, size), ) }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64) CALL(int, CUT, below_fd(fd), real(fd, size), ) }
int rename(const char *from, const char *to) {
    REAL(rename) CALL(int, MOVE, below(to), real(from, to), )
}
int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat) CALL(int, MOVE, below(to), real(a, from, b, to), )
}
int unlink(const char *path) { REAL(unlink) CALL(int, MOVE, below(path), real(path), ) }
int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat) CALL(int, MOVE, below(path) || (at != AT_FDCWD && below_fd(at)), real(at, path, flags), )
}
int rmdir(const char *path) { REAL(rmdir) CALL(int, MOVE, below(path), real(path), ) }
int mkdir(const char *path, mode_t mode) { REAL(mkdir) CALL(int, OPEN, below(path), real(path, mode), ) }

#define WRITES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & O_CREAT))
#define MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); \
    }
int open(const char *path, int flags, ...) {
    MODE REAL(open) CALL(int, OPEN, WRITES(flags) && below(path), real(path, flags, mode), )
}
int open64(const char *path, int flags, ...) {
    MODE REAL(open64) CALL(int, OPEN, WRITES(flags) && below(path), real(path, flags, mode), )
}
int openat(int at, const char *path, int flags, ...) {
    MODE REAL(openat) CALL(int, OPEN, WRITES(flags) && below(path), real(at, path, flags, mode), )
}
int openat64(int at, const char *path, int flags, ...) {
    MODE REAL(openat64) CALL(int, OPEN, WRITES(flags) && below(path), real(at, path, flags, mode), )
}
