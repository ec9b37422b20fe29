import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import GuardianWire
import Primitives

/// A user's enrolled phone, and how requests reach it.
struct Phone: Sendable {
    let device: Device

    /// Nil unless a push service refused the phone, and the phone has not registered again.
    var refusal: EndedPush? { device.endedPush }

    var service: String { (device.push?.service ?? refusal?.service)?.rawValue ?? "device channel" }

    var state: String {
        if let lost = device.keyLostAt { return "lost its key on \(lost.iso8601); nothing is sent to it" }
        guard let refusal else {
            return device.push == nil ? "reached while its app is open" : "reached"
        }
        return "push refused on \(refusal.at.iso8601): \(refusal.reason)"
    }

    var json: JSONValue {
        [
            "id": .string(device.id.rawValue), "name": .string(device.name),
            "identifier": .string(device.identifier),
            "push_service": device.push.map { .string($0.service.rawValue) } ?? .null,
            "push_refused_at": refusal.map { .string($0.at.iso8601) } ?? .null,
            "push_refused_reason": refusal.map { .string($0.reason) } ?? .null,
            "key_lost_at": device.keyLostAt.map { .string($0.iso8601) } ?? .null,
            "enrolled_at": .string(device.enrolledAt.iso8601),
        ]
    }

    /// A line for people.
    var summary: String { "\(device.name) (\(device.id)), \(service): \(state)" }
}

extension ObjectCommands.Target {
    func phones(of user: UserID) async throws -> [Phone] {
        try await installation.devices.devices(of: user, in: tenant.id).map { Phone(device: $0.device) }
    }
}
