#if canImport(CryptoKit)
    import Foundation
    import HTTPModel
    import Synchronization

    /// The head of an answer, as soon as it is there.
    struct Head: Sendable {
        let status: Int
        let fields: HTTPFields
    }

    /// One request under way.
    struct Exchange: Sendable {
        /// Nil once the head was handed out.
        var head: CheckedContinuation<Result<Head, HTTPClientError>, Never>?
        let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    }

    /// Requests under way, by the identifier of their URLSession task. Each ends once; what comes later is dropped.
    final class Exchanges: Sendable {
        private let underWay = Mutex<[Int: Exchange]>([:])

        func begin(_ id: Int, _ exchange: Exchange) { underWay.withLock { $0[id] = exchange } }

        func receive(_ head: Head, for id: Int) {
            let waiting = underWay.withLock { underWay in
                let waiting = underWay[id]?.head
                underWay[id]?.head = nil
                return waiting
            }
            waiting?.resume(returning: .success(head))
        }

        func receive(_ data: Data, for id: Int) {
            let body = underWay.withLock { $0[id]?.body }
            body?.yield(Array(data))
        }

        func end(_ id: Int, _ error: HTTPClientError?) {
            let exchange = underWay.withLock { $0.removeValue(forKey: id) }
            exchange?.head?.resume(returning: .failure(error ?? .other("the connection was closed without an answer")))
            exchange?.body.finish(throwing: error)
        }
    }
#endif
