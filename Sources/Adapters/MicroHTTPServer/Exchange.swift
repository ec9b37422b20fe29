import CMicroHTTPD
import HTTPModel
import Synchronization

/// One request and its answer.
///
/// The event thread of the connection collects the head and the body and starts the handler in place. A handler that
/// returns without suspending has its answer queued right there. Any other leaves the connection suspended until the
/// handler can go on, and goes on where it began, on the event thread: the exchange is its task's executor, so what
/// wakes the handler wakes the connection, and no third thread is woken in between. Whoever answers first (the handler,
/// the supervisor for a deadline, the stopping server) has the event thread come back for the answer; what is left of
/// the handler then ends on the shared threads. `state` decides who is first: exactly one resume follows each
/// suspension.
///
/// Unchecked: the fields outside `state` are touched only on the connection's event thread, or do not change.
final class Exchange: TaskExecutor, @unchecked Sendable {
    private enum Answer {
        case none
        case ready(Response)
        case taken
    }

    private struct State {
        var answer = Answer.none
        var isSuspended = false
        var task: Task<Void, Never>?
        /// Parts of the handler that can go on.
        var jobs: [UnownedJob] = []
        var peerLeft = false
    }

    private enum Step {
        case answer(Response)
        case run([UnownedJob])
        /// The connection is suspended.
        case wait
        /// It is suspended, and can go on at once.
        case takeTurns
        case refuse(Task<Void, Never>?)
    }

    enum Resumption {
        /// The answer is there.
        case answered(Response)
        /// The connection is suspended until it is.
        case suspended
    }

    let id: String
    let connection: Connection
    let startedAt = MonotonicClock.nanoseconds
    let targetLength: Int
    /// Bytes that the body may have.
    let bodyLimit: Int
    let query: String?

    var path = ""
    var method = ""
    var isVersion10 = false
    var fields: [HTTPFields.Field] = []
    var body: [UInt8] = []
    var bodyBytes = 0
    var headIsRead = false
    var handlerStarted = false
    var bodyIsTooLarge = false
    var status = 0
    var responseBytes = 0
    var clientAddress: String?
    private var asksToBeHeld = false
    var stream: ResponseStream?
    /// When a suspended handler is given up, in milliseconds of the monotonic clock.
    private var deadline: UInt64 = 0

    private let core: ServerCore
    private let handle: OpaquePointer
    private let state = Mutex(State())

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, id: String, target: UnsafePointer<CChar>) {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.id = id
        targetLength = strlen(target)
        bodyLimit = core.configuration.limits.bodyBytes(of: target)
        if let mark = strchr(target, Int32(UInt8(ascii: "?"))) {
            query = String(cString: mark + 1)
        } else {
            query = nil
        }
    }

    /// Takes a part of the body. Returns false when the connection is to be closed at once.
    func receive(_ part: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += part.count
        if bodyBytes > bodyLimit { bodyIsTooLarge = true }
        if bodyIsTooLarge {
            // libmicrohttpd takes no answer in the middle of a body.
            body = []
            return bodyBytes - bodyLimit <= HTTPLimits.discardedBytes
        }
        body.append(contentsOf: part)
        return true
    }

    /// Runs the handler on this event thread until it answers or waits for something.
    func start(_ request: Request) -> Resumption {
        handlerStarted = true
        asksToBeHeld = request.fields.values(of: "Prefer").contains { $0.lowercased().contains("wait") }
        let handler = core.handler
        let task = Task.immediate(executorPreference: self) { [self] in answer(await handler(request)) }
        state.withLock { state in
            if case .none = state.answer { state.task = task }
        }
        deadline = MonotonicClock.milliseconds + core.deadlines.exchange
        return proceed(running: false)
    }

    /// Runs what can go on of the handler, on the event thread after a resume, until it answers or waits again. What
    /// can go on again right away, as after `Task.yield()`, lets the thread's other connections have their turn.
    func proceed(running: Bool = true) -> Resumption {
        switch nextStep(running: running) {
        case .answer(let response): return .answered(response)
        case .run(let jobs):
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            return proceed(running: false)
        case .wait: return .suspended
        case .takeTurns:
            core.resume(handle)
            return .suspended
        case .refuse(let task):
            task?.cancel()
            return .answered(core.render(.stopping, path))
        }
    }

    private func nextStep(running: Bool) -> Step {
        state.withLock { state in
            if case .ready(let response) = state.answer {
                end(&state)
                return .answer(response)
            }
            if running, !state.jobs.isEmpty {
                defer { state.jobs = [] }
                return .run(state.jobs)
            }
            guard core.beginSuspension() else {
                let task = state.task
                end(&state)
                return .refuse(task)
            }
            if connection.phase != .suspended {
                connection.enter(.suspended, until: deadline)
                connection.watch(self)
            }
            MHD_suspend_connection(handle)
            state.isSuspended = state.jobs.isEmpty
            return state.isSuspended ? .wait : .takeTurns
        }
    }

    /// Nobody will ask for the answer any more: the event thread has it, or the connection is over.
    private func end(_ state: inout State) {
        state.answer = .taken
        state.task = nil
        for job in state.jobs { globalConcurrentExecutor.enqueue(job) }
        state.jobs = []
    }

    /// The connection is over. A handler that still runs is cancelled.
    func end() {
        let task = state.withLock { state in
            defer { end(&state) }
            return state.task
        }
        task?.cancel()
    }

    // MARK: TaskExecutor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isOver, resumes) = state.withLock { state in
            if case .taken = state.answer { return (true, false) }
            state.jobs.append(job)
            defer { state.isSuspended = false }
            return (false, state.isSuspended)
        }
        if isOver {
            globalConcurrentExecutor.enqueue(job)
        } else if resumes {
            core.resume(handle)
        }
    }

    // MARK: Answering

    /// Answers, unless somebody has.
    func answer(_ response: Response) {
        let resumes = state.withLock { state in
            guard case .none = state.answer else { return false }
            state.answer = .ready(response)
            defer { state.isSuspended = false }
            return state.isSuspended
        }
        if resumes { core.resume(handle) }
    }

    /// Answers for a handler that takes too long, and cancels it.
    func giveUp(_ refusal: HTTPRefusal) {
        let task = state.withLock { $0.task }
        answer(core.render(refusal, path))
        task?.cancel()
        stream?.abort()
    }

    /// The peer has gone while the connection was suspended: tells the handler by cancelling its task, and ends the
    /// stream. A client that only closed its sending side counts as gone, as with most servers.
    func peerLeft() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.peerLeft else { return nil }
            state.peerLeft = true
            return state.task
        }
        task?.cancel()
        stream?.abort()
    }

    func record(_ outcome: RequestRecord.Outcome) -> RequestRecord {
        RequestRecord(
            id: id, method: method, path: path, status: status, outcome: outcome,
            duration: .nanoseconds(Int64(clamping: MonotonicClock.nanoseconds - startedAt)), requestBytes: bodyBytes,
            responseBytes: stream?.sentBytes ?? responseBytes, remoteAddress: connection.address.text,
            clientAddress: clientAddress, manner: stream != nil ? .streamed : asksToBeHeld ? .held : .prompt)
    }
}
