/** The little DER (X.690) of certificates and signatures that verifiers need. */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const VERSION = 0xa0;

interface Element {
  tag: number;
  content: Uint8Array;
  whole: Uint8Array;
}

function sure(condition: unknown): asserts condition {
  if (!condition) throw new SyntaxError("not DER");
}

/** The elements side by side in bytes. */
function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at] as number;
    let [length, begin] = [bytes[at + 1] ?? -1, at + 2];
    sure(length >= 0 && (tag & 0x1f) !== 0x1f);
    if (length >= 0x80) {
      const size = length & 0x7f;
      sure(size >= 1 && size <= 3 && begin + size <= bytes.length && bytes[begin] !== 0);
      length = bytes.subarray(begin, begin + size).reduce((sum, byte) => sum * 256 + byte, 0);
      sure(length >= 0x80);
      begin += size;
    }
    sure(begin + length <= bytes.length);
    found.push({ tag, content: bytes.subarray(begin, begin + length), whole: bytes.subarray(at, begin + length) });
    at = begin + length;
  }
  return found;
}

function sequence(bytes: Uint8Array): Element[] {
  const [only, ...more] = elements(bytes);
  sure(only?.tag === SEQUENCE && more.length === 0);
  return elements(only.content);
}

/** The SubjectPublicKeyInfo of a certificate (RFC 5280 clause 4.1). */
export function certificateKey(certificate: Uint8Array): Uint8Array {
  const parts = sequence(certificate);
  sure(parts.length === 3);
  const fields = sequence((parts[0] as Element).whole);
  const key = fields[fields[0]?.tag === VERSION ? 6 : 5];
  sure(key?.tag === SEQUENCE);
  return key.whole;
}

/** The 64 bytes of an ES256 signature in DER. */
export function rawSignature(signature: Uint8Array): Uint8Array | undefined {
  try {
    const numbers = sequence(signature);
    sure(numbers.length === 2);
    const raw = new Uint8Array(64);
    numbers.forEach(({ tag, content }, index) => {
      const [first, second] = content;
      sure(tag === INTEGER && first !== undefined && first < 0x80);
      sure(first !== 0 || content.length === 1 || (second as number) >= 0x80);
      const number = first === 0 ? content.subarray(1) : content;
      sure(number.length <= 32);
      raw.set(number, 32 * (index + 1) - number.length);
    });
    return raw;
  } catch {
    return undefined;
  }
}
