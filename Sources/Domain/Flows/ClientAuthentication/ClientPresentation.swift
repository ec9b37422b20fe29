public import AuthorizationCore
public import OAuthWire
public import Primitives

/// What came with a message that should prove its sender.
public struct ClientPresentation: Sendable {
    public let credentials: PresentedCredentials
    public let parameters: Parameters
    public let directory: TenantDirectory
    /// Of the endpoint that was called, such as `/oauth/token`: an assertion may be for it alone.
    public let path: String
    /// The peer's address, for the audit log.
    public let remoteAddress: String
    public let now: Timestamp

    public init(
        credentials: PresentedCredentials, parameters: Parameters, directory: TenantDirectory, path: String,
        remoteAddress: String, now: Timestamp
    ) {
        self.credentials = credentials
        self.parameters = parameters
        self.directory = directory
        self.path = path
        self.remoteAddress = remoteAddress
        self.now = now
    }
}
