import Glibc
import Load

/// Debian's nginx, answering every request with the answer that a pending poll gets.
struct Nginx {
    let port: UInt16
    /// Time from the start of the program until it accepted connections.
    let startup: Duration
    private let child: Child

    static let pendingAnswer =
        #"{"error":"authorization_pending","error_description":"The end-user authorization is pending"}"#

    static func start(folder: String) throws -> Nginx {
        let port = try freePort()
        let configuration = """
            daemon off;
            pid \(folder)/nginx.pid;
            error_log stderr crit;
            worker_processes auto;
            events { worker_connections 4096; }
            http {
                access_log off;
                client_body_temp_path \(folder)/nginx-body;
                proxy_temp_path \(folder)/nginx-proxy;
                fastcgi_temp_path \(folder)/nginx-fastcgi;
                uwsgi_temp_path \(folder)/nginx-uwsgi;
                scgi_temp_path \(folder)/nginx-scgi;
                keepalive_requests 1000000000;
                keepalive_timeout 600s;
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    location / {
                        default_type application/json;
                        add_header Cache-Control no-store always;
                        return 400 '\(pendingAnswer)';
                    }
                }
            }
            """
        try writeFile("\(folder)/nginx.conf", configuration)
        let program = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx"
        let log = "\(folder)/nginx.log"
        let begin = ContinuousClock.now
        let child = try Child([program, "-p", folder, "-c", "\(folder)/nginx.conf", "-e", "stderr"], log: log)
        guard waitUntilReachable(port: port, child: child, within: .seconds(5)) else {
            child.end()
            throw Failure("nginx did not start: \((try? readText(log)) ?? "")")
        }
        return Nginx(port: port, startup: ContinuousClock.now - begin, child: child)
    }

    /// Memory of the master and its workers.
    func residentMegabytes() throws -> Double {
        let workers = try readText("/proc/\(child.pid)/task/\(child.pid)/children").split(separator: " ")
        return try ([child.pid] + workers.compactMap { pid_t($0) }).reduce(0) {
            $0 + (try ProcessMeter(pid: $1).residentMegabytes())
        }
    }

    func stop() { child.end() }
}

/// Waits until the port accepts connections. False if the child ended or the time is over.
func waitUntilReachable(port: UInt16, child: Child, within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if Load.isReachable(port: port) { return true }
        if child.wait(within: .zero) != nil { return false }
        usleep(1000)
    }
    return false
}
