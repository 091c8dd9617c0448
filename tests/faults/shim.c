/* Preloaded into a server: its fsyncs fail as soon as the file that FAIL_FSYNC names is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
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
