import Glibc
import Workbench

extension Nginx {
    /// Memory of the master and its workers.
    func residentMegabytes() throws -> Double {
        let workers = try readText("/proc/\(child.pid)/task/\(child.pid)/children").split(separator: " ")
        return try ([child.pid] + workers.compactMap { pid_t($0) }).reduce(0) {
            $0 + (try ProcessMeter(pid: $1).residentMegabytes())
        }
    }
}
