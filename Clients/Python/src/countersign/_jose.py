"""Keys and signatures of JWK (RFC 7517) and JWS (RFC 7515)."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, Union

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from ._json import NotJSON, Number, canonical, decode_base64url, encode_base64url, parse

PublicKey = Union[rsa.RSAPublicKey, ec.EllipticCurvePublicKey, ed25519.Ed25519PublicKey]
PrivateKey = Union[rsa.RSAPrivateKey, ec.EllipticCurvePrivateKey, ed25519.Ed25519PrivateKey]

ALGORITHMS = {"RSA": ("RS256", "PS256"), "P-256": ("ES256",), "P-384": ("ES384",), "Ed25519": ("EdDSA",)}
# Algorithms of an issuer's signatures.
ISSUERS = ("RS256", "PS256", "ES256", "EdDSA")
PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
CURVES: dict[str, tuple[ec.EllipticCurve, int]] = {"P-256": (ec.SECP256R1(), 32), "P-384": (ec.SECP384R1(), 48)}
FAULTS = (ValueError, KeyError, TypeError, AttributeError, UnsupportedAlgorithm)


def _sure(condition: object) -> None:
    if not condition:
        raise NotJSON("a key or signature is malformed")


def read_key(jwk: Any) -> tuple[PublicKey, list[str]]:
    """The key and the algorithms that fit it. Raises one of FAULTS for a key that must not be used."""
    _sure(isinstance(jwk, dict) and not PRIVATE & set(jwk) and jwk.get("use", "sig") == "sig")
    _sure("verify" in jwk.get("key_ops", ["verify"]))
    number = {name: decode_base64url(jwk[name]) for name in ("n", "e", "x", "y") if name in jwk}
    key: PublicKey
    if jwk["kty"] == "RSA":
        kind = "RSA"
        key = rsa.RSAPublicNumbers(int.from_bytes(number["e"], "big"), int.from_bytes(number["n"], "big")).public_key()
        _sure(2048 <= key.key_size <= 8192)
    elif jwk["kty"] == "EC":
        kind = jwk["crv"]
        curve, size = CURVES[kind]
        _sure(len(number["x"]) == len(number["y"]) == size)
        key = ec.EllipticCurvePublicNumbers(
            int.from_bytes(number["x"], "big"), int.from_bytes(number["y"], "big"), curve).public_key()
    else:
        kind = jwk["crv"]
        _sure(jwk["kty"] == "OKP" and kind == "Ed25519")
        key = ed25519.Ed25519PublicKey.from_public_bytes(number["x"])
    if "x5c" in jwk:
        _sure(isinstance(jwk["x5c"], list) and jwk["x5c"])
        chain = [base64.b64decode(text, validate=True) for text in jwk["x5c"]]
        _sure([base64.b64encode(one).decode() for one in chain] == jwk["x5c"])
        _sure(x509.load_der_x509_certificate(chain[0]).public_key() == key)
    algorithms = [name for name in ALGORITHMS[kind] if jwk.get("alg", name) == name]
    _sure(algorithms)
    return key, algorithms


def write_key(key: PublicKey, kid: str) -> dict[str, Any]:
    _sure(isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp256r1")
    assert isinstance(key, ec.EllipticCurvePublicKey)
    numbers = key.public_numbers()
    x, y = (encode_base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y, "use": "sig", "alg": "ES256", "kid": kid}


def is_signed(key: PublicKey, algorithm: str, signature: bytes, data: bytes) -> bool:
    try:
        if isinstance(key, rsa.RSAPublicKey):
            scheme: padding.AsymmetricPadding = padding.PKCS1v15()
            if algorithm == "PS256":
                scheme = padding.PSS(padding.MGF1(hashes.SHA256()), hashes.SHA256().digest_size)
            key.verify(signature, data, scheme, hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey):
            size = (key.key_size + 7) // 8
            _sure(len(signature) == 2 * size)
            pair = (int.from_bytes(half, "big") for half in (signature[:size], signature[size:]))
            key.verify(utils.encode_dss_signature(*pair), data, ec.ECDSA(_hash(key.key_size)))
        else:
            key.verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _hash(size: int) -> hashes.HashAlgorithm:
    return hashes.SHA384() if size == 384 else hashes.SHA256()


def split(text: str, limit: int) -> tuple[dict[str, Any], bytes, bytes, bytes]:
    """Header, payload, signature and signed data of a JWS in compact form."""
    parts = text.split(".")
    _sure(len(text) <= limit and len(parts) == 3)
    header, payload, signature = map(decode_base64url, parts)
    fields = parse(header, 8, number=Number)
    _sure(isinstance(fields, dict) and isinstance(fields["alg"], str))
    _sure(all(isinstance(fields.get(name, ""), str) for name in ("typ", "kid")))
    return fields, payload, signature, f"{parts[0]}.{parts[1]}".encode()


def keys_for(jwks: Any, header: dict[str, Any]) -> Iterator[PublicKey]:
    """Keys of a set with the header's `kid` that fit its `alg`. RFC 7517 clause 5: keys of other kinds are skipped."""
    for jwk in jwks["keys"]:
        try:
            key, algorithms = read_key(jwk)
            if "kid" in header and jwk.get("kid") == header["kid"] and header["alg"] in algorithms:
                yield key
        except FAULTS:
            pass


def read_private_key(pem: bytes) -> PrivateKey:
    key = serialization.load_pem_private_key(pem, None)
    _sure(isinstance(key, (rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey))
          or isinstance(key, ec.EllipticCurvePrivateKey) and key.key_size in (256, 384))
    assert isinstance(key, (rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey, ec.EllipticCurvePrivateKey))
    return key


def sign(header: dict[str, Any], payload: dict[str, Any], key: PrivateKey) -> str:
    """A JWS by the key's usual algorithm."""
    if isinstance(key, rsa.RSAPrivateKey):
        algorithm = "RS256"
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        algorithm = "ES384" if key.key_size == 384 else "ES256"
    else:
        algorithm = "EdDSA"
    text = ".".join(encode_base64url(canonical(part)) for part in ({"alg": algorithm, **header}, payload))
    data = text.encode()
    if isinstance(key, rsa.RSAPrivateKey):
        signature = key.sign(data, padding.PKCS1v15(), hashes.SHA256())
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        size = key.key_size // 8
        pair = utils.decode_dss_signature(key.sign(data, ec.ECDSA(_hash(key.key_size))))
        signature = b"".join(number.to_bytes(size, "big") for number in pair)
    else:
        signature = key.sign(data)
    return f"{text}.{encode_base64url(signature)}"
