import ApprovalWire
import CMaxMindDB
import Glibc

/// An open database, which is closed with its last reference. It is a copy: a file that is cut off or written to while it
/// is mapped would end the process (SIGBUS).
final class MaxMindDatabase: Sendable {
    /// Maximum bytes of one name. Longer ones are left out.
    private static let nameLimit = 100

    /// libmaxminddb only reads it, from any thread.
    nonisolated(unsafe) private let database: UnsafeMutablePointer<MMDB_s>

    init(_ path: String) throws(MaxMindPlaces.Failure) {
        let copy = try Self.copy(path)
        defer { close(copy) }
        let database = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
        database.initialize(to: MMDB_s())
        let status = MMDB_open("/proc/self/fd/\(copy)", UInt32(MMDB_MODE_MMAP), database)
        guard status == MMDB_SUCCESS else {
            database.deallocate()
            throw MaxMindPlaces.Failure(description: "\(path): \(String(cString: MMDB_strerror(status)))")
        }
        self.database = database
    }

    /// Descriptor of a copy without a name.
    private static func copy(_ path: String) throws(MaxMindPlaces.Failure) -> CInt {
        func failure() -> MaxMindPlaces.Failure {
            MaxMindPlaces.Failure(description: "\(path): \(String(cString: strerror(errno)))")
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        let name = "\(P_tmpdir)/countersign-places-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let copy = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure() }
        unlink(name)
        while true {
            let count = sendfile(copy, file, nil, 1 << 20)
            if count == 0 { return copy }
            guard count > 0 else {
                defer { close(copy) }
                throw failure()
            }
        }
    }

    deinit {
        MMDB_close(database)
        database.deallocate()
    }

    func place(of address: String) -> RequestRecord.Place? {
        var (resolution, status): (CInt, CInt) = (0, MMDB_SUCCESS)
        // Numeric addresses alone: nothing is resolved.
        var found = MMDB_lookup_string(database, address, &resolution, &status)
        guard resolution == 0, status == MMDB_SUCCESS, found.found_entry else { return nil }
        var names: [String: String] = [:]
        for language in RequestRecord.Place.languages {
            let parts = [["city"], ["subdivisions", "0"], ["country"]].compactMap { part in
                text(part + ["names", language], of: &found.entry) ?? text(part + ["names", "en"], of: &found.entry)
            }
            names[language] = parts.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
                .joined(separator: ", ")
        }
        return RequestRecord.Place(names: names)
    }

    /// The text at a path of the entry. Nil if there is none.
    private func text(_ path: [String], of entry: inout MMDB_entry_s) -> String? {
        var data = MMDB_entry_data_s()
        let keys = path.map { Array($0.utf8CString) }
        let status = Self.withPointers(keys) { MMDB_aget_value(&entry, &data, $0) }
        guard status == MMDB_SUCCESS, data.has_data, data.type == UInt32(MMDB_DATA_TYPE_UTF8_STRING),
            let start = data.utf8_string, data.data_size > 0, Int(data.data_size) <= Self.nameLimit
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(data.data_size))
        return String(validating: bytes, as: UTF8.self)
    }

    /// A list of C strings with a null pointer at its end.
    private static func withPointers<Result>(
        _ texts: [[CChar]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let pointers = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
        defer { pointers.deallocate() }
        func add(_ index: Int) -> Result {
            guard index < texts.count else {
                pointers[index] = nil
                return body(pointers)
            }
            return texts[index].withUnsafeBufferPointer { text in
                pointers[index] = text.baseAddress
                return add(index + 1)
            }
        }
        return add(0)
    }
}
