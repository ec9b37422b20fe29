import Foundation
import GuardianWire
import HTTPModel
import Primitives

extension DeviceAPI {
    /// The user's requests that wait for an answer, the oldest first, at most 100. For an app that was closed, or that
    /// cannot hold the device channel open.
    public func pending() -> Request<[PendingRequest]> {
        account(.get, "pending") { answer in
            try answerObjects(try answerObject(try answer.json()), "requests").map { try PendingRequest($0) }
        }
    }

    /// The user's answered requests, the latest first. ``receipt(ofRequest:)`` has the proof of each.
    ///
    /// - Parameters:
    ///   - cursor: ``RequestHistory/next`` of the page before. Nil begins with the latest request.
    ///   - limit: Requests of a page, `1...50`.
    public func history(before cursor: String? = nil, limit: Int = 20) -> Request<RequestHistory> {
        let before = cursor.map { "&before=\(PercentEncoding.encode($0))" } ?? ""
        return account(.get, "requests?limit=\(min(max(limit, 1), 50))\(before)") {
            try RequestHistory(parsing: try $0.json())
        }
    }

    /// All devices of the user that answer requests, this one among them.
    public func devices() -> Request<[UserDevice]> {
        account(.get, "devices") { answer in
            try answerObjects(try answerObject(try answer.json()), "devices").map { try UserDevice($0) }
        }
    }

    /// The user's quiet hours, which all of their devices apply. Nil means that they have none.
    public func quietHours() -> Request<QuietHours?> {
        account(.get, "preferences") { try QuietHours.parse(try $0.json()) }
    }

    /// Sets or ends the user's quiet hours, for all of their devices.
    public func setQuietHours(_ hours: QuietHours?) -> Request<NoContent> {
        account(.put, "preferences", json: QuietHours.body(hours)) { _ in NoContent() }
    }

    private func account<Payload>(
        _ method: HTTPMethod, _ path: String, json: [UInt8]? = nil,
        decode: @escaping @Sendable (ClientResponse) throws -> Payload
    ) -> Request<Payload> {
        Request(method, server.described { $0.deviceAccount(id) + "/" + path }, on: server) { [server, id, token] in
            let base = try server.base()
            return server.request(
                method, base.deviceAccount(id) + "/" + path, authorization: "Bearer \(try token(base))", json: json)
        } decode: {
            try decode($0)
        }
    }
}
