import Glibc

/// How the system shares its processors between the server's threads and others.
package enum Scheduling {
    /// `SCHED_BATCH` (sched(7)), which glibc hides from Swift.
    private static let batch: Int32 = 3

    /// Has this thread, and those that it starts from now on, wait for their turn when they wake, in place of interrupting
    /// whoever is at work: a busy server then finds more to do each time it runs (docs/decisions/0019). Where a processor
    /// is free nothing changes, and where the system does not allow it neither.
    package static func takeTurns() {
        var parameter = sched_param()
        sched_setscheduler(0, batch, &parameter)
    }
}
