/// A setting with which no server can start.
package struct SettingFailure: Error, Sendable, CustomStringConvertible {
    /// As in the configuration file, or several.
    package let setting: String
    let reason: String

    package var description: String { "\(setting): \(reason)" }
}
