// Declarations of Apple's AuthenticationServices that CountersignClient uses, with types and without
// implementation. Nothing runs them.
public import Foundation

/// `UIWindow` or `NSWindow`.
public typealias ASPresentationAnchor = StandInWindow

@MainActor open class StandInWindow: NSObject {}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    open class Callback: NSObject {
        public class func customScheme(_ customScheme: String) -> Self { self.init() }
        public class func https(host: String, path: String) -> Self { self.init() }

        public required override init() {}
    }

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    open func start() -> Bool { false }
    open func cancel() {}
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public let code: Code
}
