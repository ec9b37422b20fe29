public import Administration
public import Primitives

/// What operations on clients, and on what they use, work with.
public struct ClientPorts: Sendable {
    let hashing: any Hashing
    let sealer: any Sealer
    let keys: any SigningKeyFactory

    public init(hashing: any Hashing, sealer: any Sealer, keys: any SigningKeyFactory) {
        self.hashing = hashing
        self.sealer = sealer
        self.keys = keys
    }
}
