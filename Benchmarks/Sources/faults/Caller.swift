import Glibc
import Histories
import Load
import Workbench

/// One participant's way to the server: several connections, of which chance picks one for each request.
final class Caller {
    private let port: UInt16
    private var connections: [BlockingConnection?]
    private(set) var random: SeededRandom

    init(port: UInt16, random: SeededRandom, connections: Int = 3) {
        self.port = port
        self.random = random
        self.connections = Array(repeating: nil, count: connections)
    }

    func isLikely(_ probability: Double) -> Bool { random.isLikely(probability) }

    func milliseconds(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    func ask(_ request: [UInt8], within limit: Duration = .seconds(20)) -> Reply {
        let picked = connections.indices.randomElement(using: &random) ?? 0
        let sent = MonotonicClock.now
        do throws(LoadFailure) {
            let connection = if let open = connections[picked] { open } else { try BlockingConnection(port: port) }
            connections[picked] = connection
            return Reply(answer: try connection.ask(request, within: limit), sent: sent)
        } catch {
            connections[picked] = nil
            return Reply(failure: error, sent: sent)
        }
    }
}

/// An answer, or the reason why there is none.
struct Reply {
    /// Zero without an answer.
    let status: Int
    let body: [UInt8]
    let sent: UInt64
    let ended = MonotonicClock.now
    /// Outcome of an answer that does not say what was asked. Nil if it does.
    let complaint: Event.Outcome?

    init(answer: WholeAnswer, sent: UInt64) {
        status = answer.status
        body = answer.body
        self.sent = sent
        complaint = Self.complaint(answer)
    }

    init(failure: LoadFailure, sent: UInt64) {
        status = 0
        body = []
        self.sent = sent
        complaint =
            switch failure {
            case .timedOut: .unknown("no answer in time")
            default: .unknown("connection broken")
            }
    }

    private static func complaint(_ answer: WholeAnswer) -> Event.Outcome? {
        guard answer.status >= 500 || answer.status == 429 else { return nil }
        let head = String(decoding: answer.head, as: UTF8.self).lowercased()
        // Each answer of the server has the request's id. All others are nginx's own.
        guard head.contains("\r\nx-request-id:") else { return .unknown("\(answer.status) by nginx") }
        guard answer.status == 503, head.contains("\r\nretry-after:") else {
            return .broken("\(answer.status): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
        }
        let text = String(decoding: answer.body, as: UTF8.self)
        return text.contains("nothing was changed") ? .undone("503, nothing was changed") : .unknown("503")
    }

    /// Value of a member of the answer's JSON object.
    func text(_ name: StaticString) -> String? {
        body.withUnsafeBytes { Scan.string(name, in: $0).map { String(decoding: $0, as: UTF8.self) } }
    }

    var json: String { String(decoding: body.prefix(300), as: UTF8.self) }
}
