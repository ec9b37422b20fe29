/// A setting with which no server can start.
public struct SettingFailure: Error, Sendable, CustomStringConvertible {
    /// As in the configuration file, or several.
    public let setting: String
    let reason: String

    public var description: String { "\(setting): \(reason)" }
}
