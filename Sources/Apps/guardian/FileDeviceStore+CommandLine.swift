import Foundation
import Guardian
import Terminal

extension FileDeviceStore {
    /// XDG Base Directory Specification.
    static func defaultPath(environment: [String: String]) -> String {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        return data + "/guardian/devices.json"
    }

    /// The one enrolment that fits. An error lists the enrolments if none or several fit.
    func device(id: String?, domain: String?) async throws -> EnrolledDevice {
        let all = try await explaining { try await devices() }
        let fitting = all.filter { (id == nil || $0.id == id) && (domain == nil || $0.domain == domain) }
        if fitting.count == 1 { return fitting[0] }
        if fitting.isEmpty {
            guard all.isEmpty else { throw CommandFailure("no enrolment fits", hint: "guardian devices lists them") }
            throw CommandFailure("this phone is not enrolled", hint: "guardian enroll URI enrols it")
        }
        throw CommandFailure(
            "more than one enrolment fits: \(fitting.map(\.id).joined(separator: ", "))", hint: "name one with --device"
        )
    }
}
