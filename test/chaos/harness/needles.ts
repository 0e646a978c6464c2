/** Forms in which a secret could appear: unchanged, and after the encodings that data passes through. */
export interface Needle {
  /** The secret that this is a form of. */
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Returns the characters of base64 that depend on the text alone, with any text before and after it. */
function base64Forms(text: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), text, Buffer.alloc(2)]).toString('base64');
    const inner = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')].map((form) => Buffer.from(form));
  });
}

function distinct(needles: readonly Needle[]): Needle[] {
  return [...new Map(needles.map((needle) => [needle.bytes.toString('latin1'), needle])).values()];
}

const grouped = (digits: string, separator: string) => digits.replace(/(\d{4})(?=\d)/g, `$1${separator}`);

/** Forms of a card number. They are named by its last digits only: a report must not contain the number either. */
export function numberNeedles(digits: string): Needle[] {
  const secret = `card …${digits.slice(-4)}`;
  const raw = Buffer.from(digits);
  const hex = raw.toString('hex');
  const forms: readonly [string, Buffer][] = [
    ['raw', raw],
    ['spaced', Buffer.from(grouped(digits, ' '))],
    ['dashed', Buffer.from(grouped(digits, '-'))],
    ['URL-encoded', Buffer.from(grouped(digits, '%20'))],
    ['URL-encoded', Buffer.from(grouped(digits, '+'))],
    ['percent-encoded', Buffer.from([...digits].map((digit) => `%3${digit}`).join(''))],
    ['JSON-escaped', Buffer.from([...digits].map((digit) => `\\u003${digit}`).join(''))],
    ['hex', Buffer.from(hex)],
    ['UTF-16', Buffer.from(digits, 'utf16le')],
    ...base64Forms(raw).map((bytes): [string, Buffer] => ['base64', bytes]),
  ];
  return distinct(forms.map(([form, bytes]) => ({ secret, form, bytes })));
}

/** Forms of a secret text: an API key, a password, base64 of key material (whose bytes are searched for as well). */
export function secretNeedles(name: string, value: string): Needle[] {
  // `id:key` of a master key: the id is not secret.
  const text = value.slice(value.indexOf(':') + 1);
  const material = Buffer.from(text, 'base64');
  const forms: [string, Buffer][] = [
    ['raw', Buffer.from(text)],
    ['URL-encoded', Buffer.from(encodeURIComponent(text))],
    ['hex', Buffer.from(Buffer.from(text).toString('hex'))],
    ...base64Forms(Buffer.from(text)).map((bytes): [string, Buffer] => ['base64', bytes]),
  ];
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) {
    forms.push(['bytes', material], ['hex of the bytes', Buffer.from(material.toString('hex'))]);
    forms.push(['base64url of the bytes', Buffer.from(material.toString('base64url'))]);
  }
  return distinct(forms.map(([form, bytes]) => ({ secret: name, form, bytes })));
}
