import Workbench
import Configuration
import Load
import Synchronization

/// Exchanges each of many codes once.
final class ExchangeScenario: Scenario {
    /// Tokens that the threads received.
    final class Tokens: Sendable {
        private let tokens = Mutex<[[UInt8]]>([])
        init() {}
        var all: [[UInt8]] { tokens.withLock { $0 } }
        fileprivate func append(_ more: [[UInt8]]) { tokens.withLock { $0 += more } }
    }

    private var request: [UInt8]
    private let codes: ArraySlice<UInt8>
    private let kind: StaticString
    private let tokens: Tokens
    private var mine: [[UInt8]] = []
    private var position: Int
    private var answeredCount = 0
    private var failed = 0

    /// `request` ends with a code, which each of `codes` replaces. Keeps the token `kind` of each answer.
    init(request: [UInt8], codes: ArraySlice<UInt8>, keeping kind: StaticString, in tokens: Tokens) {
        self.request = request
        self.codes = codes
        self.kind = kind
        self.tokens = tokens
        position = codes.startIndex
    }

    func begin(_ connections: [Connection]) {
        for connection in connections { exchange(connection) }
    }

    /// Drops the code, which may be redeemed.
    func reopened(_ connection: Connection) {
        answeredCount += 1
        failed += 1
        exchange(connection)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        answeredCount += 1
        if answer.status == 200, let token = Scan.string(kind, in: answer.body) {
            mine.append(Array(token))
        } else {
            failed += 1
            Problems.note(answer, to: "the code exchange")
        }
        exchange(connection)
    }

    private func exchange(_ connection: Connection) {
        guard position < codes.endIndex else { return }
        request.replaceEnd(with: codes[position..<position + App.codeSize])
        position += App.codeSize
        connection.send(request)
    }

    var isFinished: Bool { answeredCount * App.codeSize >= codes.count }
    var tally: [String: Int] { ["failed": failed] }
    func ended() { tokens.append(mine) }
}

extension [UInt8] {
    /// Overwrites the same number of last bytes.
    mutating func replaceEnd(with bytes: ArraySlice<UInt8>) {
        let place = count - bytes.count
        withUnsafeMutableBytes { own in
            UnsafeMutableRawBufferPointer(rebasing: own[place...]).copyBytes(from: bytes)
        }
    }
}
