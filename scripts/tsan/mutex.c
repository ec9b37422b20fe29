// Tells the thread sanitizer of Swift's Mutex. To be loaded before the Swift libraries (LD_PRELOAD).
//
// The uncontended part of a lock and an unlock is inlined into the program, and instrumented with it. The contended part
// is in libswiftSynchronization, which is not: the sanitizer does not see that the unlock came before the lock, and
// reports everything the mutex guards. This file wraps that part and tells the sanitizer the order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Absent in a program without the sanitizer, as swift-test itself.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*next_lock)(uint32_t, SELF);
static SWIFT bool (*next_try_lock)(SELF);
static SWIFT void (*next_unlock)(SELF);

__attribute__((constructor)) static void find_wrapped(void) {
    next_lock = dlsym(RTLD_NEXT, LOCK);
    next_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    next_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
    next_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF mutex) {
    bool taken = next_try_lock(mutex);
    if (taken && __tsan_acquire) __tsan_acquire(mutex);
    return taken;
}

SWIFT void unlock_slow(SELF mutex) {
    if (__tsan_release) __tsan_release(mutex);
    next_unlock(mutex);
}
