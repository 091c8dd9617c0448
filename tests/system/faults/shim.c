/* Preloaded into a server. Its fsyncs fail as soon as the file that FAIL_FSYNC names is there, and its clock shows as
   many seconds more, or less, as the file that CLOCK_OFFSET names says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int failing(void) {
    const char *file = getenv("FAIL_FSYNC");
    return file != NULL && access(file, F_OK) == 0;
}

int fsync(int fd) {
    if (failing()) {
        errno = EIO;
        return -1;
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
    if (failing()) {
        errno = EIO;
        return -1;
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

static long offset(void) {
    const char *name = getenv("CLOCK_OFFSET");
    char text[32] = {0};
    int before = errno, file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) < 0) {
            text[0] = 0;
        }
        close(file);
    }
    errno = before;
    return strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *) = NULL;
    if (real == NULL) {
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) {
        now->tv_sec += offset();
    }
    return result;
}
