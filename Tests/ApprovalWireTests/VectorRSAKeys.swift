/// RSA keys of the receipts' vectors: PKCS #8, DER, base64. They sign nothing else.
enum VectorRSAKeys {
    static let tenant = """
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDelGxS1d2zWqpFu8U2oDwiRvh8QGhecwHBne8em0C6RQ9Q9Y5hK0McFpQG\
        +8bKTSC2oLzzmXosykctHHH3Nzgcf/r22shrLg+GGhwqETPadk20lxJ/Byy5B7pI0TXph2I8c2nlKprGQyyYwstJnRbttMWczwEUL7WifxKa\
        ibxvuYX2AcrTrJII8uAZVDE2+S7RdK75vGzCih3z0sK6JWE8b6HtLdDLRWqPoRGyFpjO8txXm5FIEnHBODEzuMcFPZWDvZuCWUa2OXswIDJT\
        /RTpGGHagyA1YqfoUrRfjRdzxwQPxuuvk8z6hDjytweSAf3Rgvkpwm9s1AyhDPOu+nuXAgMBAAECggEACdiwoBSiG1pNpi8WHJSZ8iH1wbjT\
        /ANfcikP8590MhcIuxDsKC1JjhdUwF8xucJZAMayTlVUThg7SWoZXyPcJhqdR8jKX2QEdoFSMTaBv/Mhs5nZTPqVodT85g0L15WHJO4t2Zb4\
        +yR+m+xGIYpVSx6ZWM1yrLLdnTq84Cn9j9kSl8NhRt7+zSk4TBu1Hye38a1NpHUBj5yI8+6k3pGdkRjz9ZWFWizYp+q+KY+TP5ZDuVk4ZDax\
        tZAYpdDoCKrCl9beR1LmfSlH36kaMgGb98xYt2ouYb+y0Py4+oEjWboX4izGlEMnPJhpbc2L+XJMRQEMCIuJ0I5RiO3CPsIaXQKBgQDw0xRf\
        uRQkHQMmnOCBTwxO7NHTPr9GowKG2REuVwqJCoF+chXnkEaiUR71mJCV4/CET2EXTIERExkxaRWqg1UwlJR5OuMXBKY93XyFB9De+o/VEAqx\
        zblWqyJ85Wy8IaHz7Imi73arPw5L8gQ0OUbR6OaT3Dnz+v35Jxs8QSfKRQKBgQDsmwYZ1vCoPHOKeBSkxfz2LDzx3Ue8RD3EFWL1bcCsEgvD\
        tC5TbnTcOIgeqKfHFj5Nsog3Q/J9L0H90AMpykMua1OB5A7iwpsWvbE+Yihdl8UfUF3/RFP9H5XnOvgZOLNSutelyjKBt6gtyH90aysFn3iC\
        2zKPWrCfZaWs0AaaKwKBgCirvTkdTKV8sNeIjvHHo9CAdj8yzaLkTLzxU9F7qa/TMmNkaQaeew9Wm9/mUCTARhJSRZdluDZl/0807A/L9ksq\
        DJkctNViV6EDEtB0rXW64yecefHlSHO2mzB0npR3KZ7ER8pYnrX1BDkXOlaHhcpVhvtZqf/mV5YIYLUgW9PxAoGBAONp8Yg+hps9V1R9LGJf\
        hk7aoE1cgYmcEb35TF9XeTwqMDKPaYN5hEry7yqAsppxb7rgYXq1DUpzdLtPButQ5BemwuHy4LflkoleFBFA6UlkCeyaI26qLwv5IuzYSgR7\
        8igPPBy25qq1aqlur8qnAvfpmjw0ETmmUmMyoPYkEGR3AoGAF7DNgMfZ3ggPgdjd1buWOpYZWI4lRdfXBLW5zG6dZXYCfH/yqah0mEBIQe6u\
        Dy/5daCuho+oK4dvEtO3reYgTjD6zR4bb1cY2XmkMlCSaysVNluRAB8bsEuqE9hG9tvrs89qyCRcye3GeEGR67tb2yeSvcdzwfPmO09gwCSf\
        PvU=
        """
    static let phone = """
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDSAHHnRzrnNChHjWA4usPskLU4M4KL4RCIOrS3jVQGjx5AMm59dLFide0x\
        SiR5wL91nnWrp+k4YpOTvviBimqXN5WF4+2xT9xR3s9Tl62VeLHwTB7qpXYOvAR9tmzEYs39xzplxz6hRJkL7k/ae+oyW+xfatFEPbMXHkCk\
        gl/X/MIkSd//5hD0n3u6S/hNEYC1jztkjiHhLmZ+J0k+Q8JGmOE/gJNcFTAtjdNvti53KQZYfwWSTINRVBBCuDFIj1S51lIhjYZkBwSRiXj5\
        as26TaypRHJ7FR2AwavGvoMXw7EGzC3Fk00xW9IQlUI0uIneJwT+fjzakL5DII82/jUjAgMBAAECggEAGZGATMkkEikMNm9aJc4SM2gIXcgN\
        FFGEx8a4thh5AItwWB9Ly0Pn97WlTs5Y0+d0ktzbitjY0R//bopei2HPnzW0o3v1jBR4c2djatQZiGIM7YBMdgP19HlOkAJ5X7fVSMQhshP+\
        O3hfV0/esm/1Ox3CESQE8qq9zAoc6MAO7KcF0YtTV6+Cvi3kA4YYgMid7d97fQDInR8rKB0ssJRoSD8q4JsGIJZWaDM0d/7OwId7NSl87lTc\
        jL3M5bXiBfpq94saIQqJyuU7JEGVrkqmS7APsPNO7ZPT/bZSh+toM+Eno6D1bdFtRys+blMLjmAfg5EQeXcw9ae+3JleXxLbUQKBgQDvYRbv\
        a4ntGAsMn29hsUUQrIoxHgiNcyuvEn8eLjRocUj4lAHix4OhiXRYl4HozPBetc3liezCPSyg64oC6UrSCoarzt1fUs27ccZFq0vfZzALin7H\
        kmYuDNtiau88AE8WsHGL7S/F2t6V+/49pBIXAUpoZ4YGHdnPO03zmxy0tQKBgQDglS1DxSQsfb5vW+aeYyAsJ02sxTgUcYZ7jjXSB6ltk0gm\
        yiXcYBDqbG//IyFXNBWr6fqn9oVvG+goXhXT/Ql9jYPTtHoIvCvaOCTBeqQpuzlTfW1mm656iTw9TyDUFjFZ6UDIQXGGP9JquK23B1MJZ9OF\
        LHGaD1vdrGELzJuBdwKBgQCoduGXOU1mCGeuSH4weHsskuDmVEaclZMGsLO5X7cOUbuTBUaWfObMRloVBvssBR6c6MGwavKueDLyRRFpnxlC\
        3JmOTBVLQpD6+8UXvse0v3/2f09d0FAM1IuIpc0bovQF+cLPQOtACRpg32k7pD3+5q+g7kpJ/7QLvabMbDs1iQKBgAuhbiCuWvs639vghIb7\
        VzUyK+GgrRDR+Eb5zGu+HdYg5IGtwlwxVW7ugrZR2W4sslqe2W5NZAenCFTe2n6KAi3QYF1cYV2GcTbx5WVntoy6t3NNcZb4xQZviQEb0fVp\
        2NBxNfuo9/od4AXK3qQ16uT3zYp+DLwPw5AtVzFHPV5tAoGANGOP5cyGd3VzGuixrit34lamIneTniYtLnn9mDIuVrv69Ndt4tz4L2uRR25U\
        dXIAyXBVIYCyHeE9aStD/EJmaqom5uPqs8x4Ajq13p+CJJmhqGogFZh271XfdjpJKTcm2htOcJMAPRdeoh9/Gvqq3uFC4OzjSN7z1PWQrbu1\
        ZNE=
        """
}
