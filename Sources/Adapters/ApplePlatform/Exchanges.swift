#if canImport(CryptoKit)
    import Foundation
    import HTTPModel
    import Synchronization

    /// The head of a response.
    struct Head: Sendable {
        let status: Int
        let fields: HTTPFields
    }

    /// A pending request.
    struct Exchange: Sendable {
        /// Nil after the head was delivered.
        var head: CheckedContinuation<Result<Head, HTTPClientError>, Never>?
        let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    }

    /// Pending requests by the identifier of their URLSession task. Each ends once. Later data is dropped.
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
            exchange?.head?.resume(returning: .failure(error ?? .other("the connection was closed without a response")))
            exchange?.body.finish(throwing: error)
        }
    }
#endif
