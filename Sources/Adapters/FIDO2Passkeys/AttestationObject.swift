import CFIDO2

/// The members of an attestation object (WebAuthn Level 2, 6.5.4), split by libcbor.
struct AttestationObject {
    let format: String
    let authenticatorData: [UInt8]
    /// The attestation statement in CBOR.
    let statement: [UInt8]
    /// `alg` of the statement: COSE's number of an algorithm. Nil if it has none.
    let algorithm: CInt?

    /// Nil unless `bytes` are one map with the three members.
    init?(_ bytes: [UInt8]) {
        guard CBORBounds.hold(bytes) else { return nil }
        var result = cbor_load_result()
        guard var object = cbor_load(bytes, bytes.count, &result).map(Optional.some) else { return nil }
        defer { cbor_decref(&object) }
        guard result.read == bytes.count, let members = Self.members(of: object),
            let format = members["fmt"].flatMap({ Self.text($0) }),
            let data = members["authData"].flatMap({ Self.byteString($0) }),
            let statement = members["attStmt"],
            let encoded = Self.encoded(statement)
        else { return nil }
        self.format = format
        authenticatorData = data
        self.statement = encoded
        algorithm = Self.members(of: statement)?["alg"].flatMap { Self.integer($0) }
    }

    private typealias Item = UnsafeMutablePointer<cbor_item_t>

    /// Nil unless the item is a map whose names are texts, each once.
    private static func members(of item: Item?) -> [String: Item]? {
        guard let item, cbor_isa_map(item), let pairs = cbor_map_handle(item) else { return nil }
        var members: [String: Item] = [:]
        for index in 0..<cbor_map_size(item) {
            guard let key = pairs[index].key, let value = pairs[index].value, let name = text(key),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    private static func text(_ item: Item) -> String? {
        guard cbor_isa_string(item), cbor_string_is_definite(item) else { return nil }
        let bytes = UnsafeBufferPointer(start: cbor_string_handle(item), count: cbor_string_length(item))
        return String(validating: bytes, as: UTF8.self)
    }

    private static func integer(_ item: Item) -> CInt? {
        guard cbor_is_int(item), let value = Int64(exactly: cbor_get_int(item)) else { return nil }
        return CInt(exactly: cbor_isa_negint(item) ? -1 - value : value)
    }

    private static func byteString(_ item: Item) -> [UInt8]? {
        guard cbor_isa_bytestring(item), cbor_bytestring_is_definite(item) else { return nil }
        return Array(UnsafeBufferPointer(start: cbor_bytestring_handle(item), count: cbor_bytestring_length(item)))
    }

    private static func encoded(_ item: Item) -> [UInt8]? {
        guard cbor_isa_map(item) else { return nil }
        var buffer: UnsafeMutablePointer<UInt8>?
        var capacity = 0
        let count = cbor_serialize_alloc(item, &buffer, &capacity)
        defer { free(buffer) }
        guard count > 0, let buffer else { return nil }
        return Array(UnsafeBufferPointer(start: buffer, count: count))
    }
}

/// Kind of an item of CBOR.
enum CBORItem {
    case map, other

    /// The items that follow each other in `bytes`. Nil unless the bytes are whole items within the limits.
    static func all(of bytes: ArraySlice<UInt8>) -> [CBORItem]? {
        guard CBORBounds.hold(bytes) else { return nil }
        var rest = Array(bytes)[...]
        var items: [CBORItem] = []
        while !rest.isEmpty {
            var result = cbor_load_result()
            let item = rest.withUnsafeBufferPointer { cbor_load($0.baseAddress, $0.count, &result) }
            guard var item = item.map(Optional.some), result.read > 0 else { return nil }
            defer { cbor_decref(&item) }
            items.append(cbor_isa_map(item) ? .map : .other)
            rest = rest.dropFirst(result.read)
        }
        return items
    }
}
