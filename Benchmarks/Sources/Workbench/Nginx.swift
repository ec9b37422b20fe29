import Glibc
import Load

/// Debian's nginx on a port of the loopback address.
package struct Nginx {
    package let port: UInt16
    /// Time from the start of the program until it accepted connections.
    package let startup: Duration
    package let child: Child

    package static let pendingAnswer =
        #"{"error":"authorization_pending","error_description":"The end-user authorization is pending"}"#

    /// One that answers every request with the answer that a pending poll gets.
    package static func start(folder: String) throws -> Nginx {
        try start(
            folder: folder,
            location: """
                default_type application/json;
                add_header Cache-Control no-store always;
                return 400 '\(pendingAnswer)';
                """)
    }

    /// One that sends each request to the next of `ports`, as docs/nodes.md says.
    package static func balancing(folder: String, over ports: [UInt16]) throws -> Nginx {
        let servers = ports.map { "server 127.0.0.1:\($0) max_fails=1 fail_timeout=1s;" }.joined(separator: "\n")
        return try start(
            folder: folder,
            location: """
                proxy_pass http://nodes;
                proxy_http_version 1.1;
                proxy_set_header Host $http_host;
                proxy_set_header Connection "";
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_connect_timeout 1s;
                proxy_read_timeout 310s;
                # A proof works once, so a request with one is not sent to a second node.
                location /rich-consents/ {
                    proxy_next_upstream off;
                    proxy_pass http://nodes;
                }
                """,
            more: "upstream nodes {\n\(servers)\nkeepalive 64;\n}")
    }

    private static func start(folder: String, location: String, more: String = "") throws -> Nginx {
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
                \(more)
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    location / {
                        \(location)
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

    package func stop() { child.end() }
}

/// Waits until the port accepts connections. False if the child ended or the time is over.
package func waitUntilReachable(port: UInt16, child: Child, within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if Load.isReachable(port: port) { return true }
        if child.wait(within: .zero) != nil { return false }
        usleep(1000)
    }
    return false
}
