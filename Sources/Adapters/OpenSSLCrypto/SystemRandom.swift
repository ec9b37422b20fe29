import COpenSSL
public import Primitives
import Synchronization

/// The process's cryptographically secure generator: OpenSSL's, seeded by the kernel.
///
/// A call of OpenSSL's costs much the same for few bytes as for many, so bytes are drawn ahead. Each is given out once
/// and overwritten. A process that forks must not go on using it in the child, which would give out the same ones.
public struct SystemRandom: RandomSource {
    private struct Supply {
        static let size = 1_024

        var bytes = [UInt8](repeating: 0, count: size)
        var left = 0
    }

    private static let supply = Mutex(Supply())

    public init() {}

    public func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max), "a number of bytes that no caller needs")
        return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            filled = count
            guard count <= Supply.size / 4 else {
                return Self.draw(UnsafeMutableBufferPointer(rebasing: output[..<count]))
            }
            Self.supply.withLock { supply in
                if supply.left < count {
                    supply.bytes.withUnsafeMutableBufferPointer { Self.draw($0) }
                    supply.left = Supply.size
                }
                for index in 0..<count {
                    supply.left -= 1
                    output.initializeElement(at: index, to: supply.bytes[supply.left])
                    supply.bytes[supply.left] = 0
                }
            }
        }
    }

    private static func draw(_ output: UnsafeMutableBufferPointer<UInt8>) {
        if RAND_bytes(output.baseAddress, Int32(output.count)) == 1 { return }
        // OpenSSL could not seed itself. The kernel's generator does as well, and stops the process where it too has
        // nothing: never a weak byte.
        ERR_clear_error()
        var generator = SystemRandomNumberGenerator()
        for index in output.indices { output[index] = generator.next() }
    }
}
