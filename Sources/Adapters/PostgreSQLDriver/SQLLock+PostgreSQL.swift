import SQL

extension SQLLock {
    /// Number for `pg_advisory_xact_lock`, the same for every process and version. Two people with the same number wait for
    /// each other without need.
    var number: Int64 {
        switch self {
        case .schema: Self.number(of: ["schema"])
        case .auditLog: Self.number(of: ["audit log"])
        case .configuration: Self.number(of: ["configuration"])
        case .person(let tenant, let id): Self.number(of: ["person", tenant, id])
        }
    }

    /// FNV-1a of 64 bits (RFC draft-eastlake-fnv). Swift's own hash differs in each process.
    private static func number(of names: [String]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for name in ["countersign"] + names {
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No name has this byte.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }
}
