#ifndef CTimex_SHIM_H
#define CTimex_SHIM_H
#include <sys/timex.h>

/* 1 if a time service keeps the system's clock, 0 if none does, -1 if the system does not tell (adjtimex(2)). */
static inline int countersign_clock_is_synchronized(void) {
    struct timex clock = {0};
    int state = adjtimex(&clock);
    if (state < 0) return -1;
    return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
#endif
