/// A setting with which the server cannot start.
package struct SettingFailure: Error, Sendable, CustomStringConvertible {
    /// Names of one or more settings, as in the configuration file.
    package let setting: String
    let reason: String

    package var description: String { "\(setting): \(reason)" }
}
