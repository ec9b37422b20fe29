// Shifts the wall clock of a program by CLOCK_SHIFT seconds, and no other clock: timers wait as long as ever.
// UpgradeTests compile it, and LD_PRELOAD loads it.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift;

__attribute__((constructor)) static void read_shift(void) {
    const char *text = getenv("CLOCK_SHIFT");
    if (text) shift = strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (syscall(SYS_clock_gettime, clock, result) != 0) return -1;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) result->tv_sec += shift;
    return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// The kernel does not know the shifted clock, so a wait until its moment ends at the real one.
int sem_timedwait(sem_t *semaphore, const struct timespec *end) {
    struct timespec moment = *end;
    moment.tv_sec -= shift;
    return sem_clockwait(semaphore, CLOCK_REALTIME, &moment);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
    struct timespec moment = *end;
    // The monotonic clock counts from the machine's start.
    clockid_t clock = moment.tv_sec > 1000000000 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (clock == CLOCK_REALTIME) moment.tv_sec -= shift;
    return pthread_cond_clockwait(condition, mutex, clock, &moment);
}
