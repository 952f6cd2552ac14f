/* Blocks all signals, as the C library does while a thread ends, and then makes calls that the recorder is handed. Ends
 * with 0 if they were made, and the signals that were blocked are those that it asked for but for one. */

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int main(int count, char **arguments) {
    sigset_t all, before, blocked;
    sigfillset(&all);
    if (count != 2 || sigprocmask(SIG_SETMASK, &all, &before)) return 1;
    int fd = open(arguments[1], O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd)) return 2;
    if (sigprocmask(SIG_SETMASK, &before, &blocked)) return 3;
    if (sigprocmask(SIG_BLOCK, NULL, &before)) return 4;
    return sigismember(&blocked, SIGTERM) == 1 && sigismember(&before, SIGTERM) == 0 ? 0 : 5;
}
