import CMicroHTTPD
import Glibc
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
final class Exchange: TaskExecutor, ClientPresence, @unchecked Sendable {
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
        var stream: ResponseStream?
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
    let query: String?

    var path = ""
    var method = ""
    var isVersion10 = false
    var fields: [HTTPFields.Field] = []
    var body: [UInt8] = []
    var bodyBytes = 0
    var contentLength = 0
    /// Bytes of memory that were granted for the body.
    private var bodyCapacity = 0
    var headIsRead = false
    var handlerStarted = false
    /// Given once the body was read and thrown away: most clients send all of it before they look at the answer, and
    /// lose the answer if the connection ends meanwhile.
    var rejection: Response?
    var status = 0
    var responseBytes = 0
    var clientAddress: String?
    private var asksToBeHeld = false
    /// Set at the end: the client left before it had an answer.
    private var clientLeft = false
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
        if let mark = strchr(target, Int32(UInt8(ascii: "?"))) {
            query = String(cString: mark + 1)
        } else {
            query = nil
        }
    }

    /// Takes a part of the body.
    func receive(_ part: UnsafeRawBufferPointer) {
        bodyBytes += part.count
        if rejection == nil, !makeRoom() {
            body = []
            core.observer?.bodyRefused()
            // libmicrohttpd takes no answer in the middle of a body.
            rejection = core.render(.noRoomForBody, path)
        }
        if rejection == nil { body.append(contentsOf: part) }
    }

    /// Has memory for all bytes that came. Doubles it, so that few parts are copied, and takes no more for a body that
    /// is only announced.
    private func makeRoom() -> Bool {
        guard bodyBytes > bodyCapacity else { return true }
        let capacity = min(max(bodyBytes, 2 * bodyCapacity, 4_096), max(contentLength, bodyBytes))
        guard core.bodies.grow(from: bodyCapacity, to: capacity) else { return false }
        body.reserveCapacity(capacity)
        bodyCapacity = capacity
        return true
    }

    /// Runs the handler on this event thread until it answers or waits for something.
    func start(_ request: Request) -> Resumption {
        handlerStarted = true
        asksToBeHeld = request.fields.values(of: "Prefer").contains { $0.lowercased().contains("wait") }
        connection.watch(self)
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
            connection.enter(.handling)
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
            connection.enter(.suspended, until: deadline)
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
        let (task, stream, hasLeft) = state.withLock { state in
            defer { end(&state) }
            return (state.task, state.stream, state.peerLeft)
        }
        core.bodies.release(bodyCapacity)
        bodyCapacity = 0
        task?.cancel()
        stream?.close()
        clientLeft = hasLeft && stream == nil
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
        let (task, stream) = state.withLock { ($0.task, $0.stream) }
        answer(core.render(refusal, path))
        task?.cancel()
        stream?.abort()
    }

    /// The body of the answer if it grows. The supervisor ends it from its own thread.
    var stream: ResponseStream? {
        get { state.withLock { $0.stream } }
        set { state.withLock { $0.stream = newValue } }
    }

    /// The peer has gone while the connection was suspended: tells the handler by cancelling its task, and ends the
    /// stream. A client that only closed its sending side counts as gone, as with most servers.
    func peerLeft() {
        let (task, stream) = state.withLock { state in
            state.peerLeft = true
            return (state.task, state.stream)
        }
        task?.cancel()
        stream?.abort()
    }

    // MARK: ClientPresence

    /// An answer that somebody else gave is as good as a client that left: the handler's is thrown away. The connection
    /// still is this exchange's while no answer was given, so its socket is the right one to ask.
    var hasLeft: Bool {
        state.withLock { state in
            guard case .none = state.answer else { return true }
            if !state.peerLeft { state.peerLeft = connection.peerHasLeft }
            return state.peerLeft
        }
    }

    func record(_ outcome: RequestRecord.Outcome) -> RequestRecord {
        RequestRecord(
            id: id, method: method, path: path, status: clientLeft ? 499 : status,
            outcome: clientLeft ? .clientLeft : outcome,
            duration: .nanoseconds(Int64(clamping: MonotonicClock.nanoseconds - startedAt)), requestBytes: bodyBytes,
            responseBytes: stream?.sentBytes ?? responseBytes, remoteAddress: connection.address.text,
            clientAddress: clientAddress, manner: stream != nil ? .streamed : asksToBeHeld ? .held : .immediate)
    }
}
