import CMicroHTTPD
import Glibc
import HTTPModel
import Synchronization

/// One request and its answer.
///
/// The connection's event thread collects the head and the body and starts the handler in place. If the handler returns
/// without suspending, its answer is queued right there. Otherwise the connection is suspended until the handler can
/// continue on the same event thread. The exchange is the task's executor, so waking the handler wakes the connection
/// and no third thread. The first to answer (the handler, the supervisor at a deadline, the stopping server) resumes
/// the event thread; the rest of the handler then ends on the shared threads. `state` decides who is first: exactly one
/// resume follows each suspension.
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
        /// Parts of the handler that are ready to run.
        var jobs: [UnownedJob] = []
        var peerLeft = false
        var stream: ResponseStream?
    }

    private enum Step {
        case answer(Response)
        case run([UnownedJob])
        /// The connection is suspended.
        case wait
        /// The connection is suspended, and has jobs that can run at once.
        case takeTurns
        case refuse(Task<Void, Never>?)
    }

    enum Resumption {
        case answered(Response)
        /// The connection is suspended until there is an answer.
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
    /// Bytes reserved for the body.
    private var bodyCapacity = 0
    var headIsRead = false
    var handlerStarted = false
    /// Sent after the body was read and discarded. Most clients send all of the body before they read, and lose an
    /// answer if the connection ends meanwhile.
    var rejection: Response?
    var status = 0
    var responseBytes = 0
    var clientAddress: String?
    private var asksToBeHeld = false
    /// Set at the end if the client left before its answer.
    private var clientLeft = false
    /// Deadline of a suspended handler, in milliseconds of the monotonic clock.
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
        query = strchr(target, Int32(UInt8(ascii: "?"))).map { String(cString: $0 + 1) }
    }

    func receive(_ part: UnsafeRawBufferPointer) {
        bodyBytes += part.count
        if rejection == nil, !makeRoom() {
            body = []
            core.observer?.bodyRefused()
            // libmicrohttpd takes no answer in the middle of a body.
            rejection = core.render(.noRoomForBody, self)
        }
        if rejection == nil { body.append(contentsOf: part) }
    }

    /// Reserves memory for all received bytes. Doubles it to copy little, and reserves none for bytes that are only
    /// announced.
    private func makeRoom() -> Bool {
        guard bodyBytes > bodyCapacity else { return true }
        let capacity = min(max(bodyBytes, 2 * bodyCapacity, 4_096), max(contentLength, bodyBytes))
        guard core.bodies.grow(from: bodyCapacity, to: capacity) else { return false }
        body.reserveCapacity(capacity)
        bodyCapacity = capacity
        return true
    }

    /// Runs the handler on this event thread until it answers or suspends.
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

    /// Runs the handler's ready jobs, on the event thread after a resume, until it answers or suspends. If it could
    /// continue at once, as after `Task.yield()`, the thread's other connections come first.
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
            return .answered(core.render(.stopping, self))
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

    /// Ends the exchange: the event thread has the answer, or the connection is over.
    private func end(_ state: inout State) {
        state.answer = .taken
        state.task = nil
        for job in state.jobs { globalConcurrentExecutor.enqueue(job) }
        state.jobs = []
    }

    /// Called when the connection is over. Cancels a handler that still runs.
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

    /// Sets the answer, unless there is one already.
    func answer(_ response: Response) {
        let resumes = state.withLock { state in
            guard case .none = state.answer else { return false }
            state.answer = .ready(response)
            defer { state.isSuspended = false }
            return state.isSuspended
        }
        if resumes { core.resume(handle) }
    }

    /// Answers in place of a handler that takes too long, and cancels it.
    func giveUp(_ refusal: HTTPRefusal) {
        let (task, stream) = state.withLock { ($0.task, $0.stream) }
        answer(core.render(refusal, self))
        task?.cancel()
        stream?.abort()
    }

    /// Body of a streamed answer. The supervisor ends it from its own thread.
    var stream: ResponseStream? {
        get { state.withLock { $0.stream } }
        set { state.withLock { $0.stream = newValue } }
    }

    /// Called if the peer left a suspended connection. Cancels the handler's task and ends the stream. A client that
    /// only closed its sending side counts as gone, as with most servers.
    func peerLeft() {
        let (task, stream) = state.withLock { state in
            state.peerLeft = true
            return (state.task, state.stream)
        }
        task?.cancel()
        stream?.abort()
    }

    // MARK: ClientPresence

    /// True if the client left, or if another answer was given, since the handler's is then discarded. Until an answer
    /// is given the connection belongs to this exchange, so its socket is the right one to check.
    var hasLeft: Bool {
        state.withLock { state in
            guard case .none = state.answer else { return true }
            if !state.peerLeft { state.peerLeft = connection.peerHasLeft }
            return state.peerLeft
        }
    }

    var silence: Duration { PeerSocket.silence(of: connection.socket) }

    func record(_ outcome: RequestRecord.Outcome) -> RequestRecord {
        RequestRecord(
            id: id, method: method, path: path, status: clientLeft ? 499 : status,
            outcome: clientLeft ? .clientLeft : outcome,
            duration: .nanoseconds(Int64(clamping: MonotonicClock.nanoseconds - startedAt)), requestBytes: bodyBytes,
            responseBytes: stream?.sentBytes ?? responseBytes, remoteAddress: connection.address.text,
            clientAddress: clientAddress, manner: stream != nil ? .streamed : asksToBeHeld ? .held : .immediate)
    }
}
