/** Logo of the first merchant of the sandbox: an open book, 112 by 112 pixels, as PNG. */
export const sandboxLogo = (): Buffer => Buffer.from(lines.join(''), 'base64');

const lines = [
  'iVBORw0KGgoAAAANSUhEUgAAAHAAAABwCAIAAABJgmMcAAAB1UlEQVR4nOzdwU3EQBAFUYM2AggH0iABwljOEAYJkAbpkAMrzeVL',
  'e7HkmnF7XO/gAOrgcbdl+XJ9eVrEeVyEMijMoDCDwgwKMyjMoDCDwgwKMyjMoDCDwgwKMyjMoDCDwgwKMyjMoDCDwgwKMyjMoDCD',
  'wgwKMyjMoDCDwgwKMyjMoDCDwgwKuyybff7+3a4fr8/LkV2/f27Xr/e3ZRsgaNOyNkeJ2yKysKCpctweEVOXoKlC3N4RU/egaWTc',
  'kRHT0KCpR9y9IqbdgqYtcStETCWCpjVxq0VM5YKm+yfcyikbJyWYQWEGhXW8h7Z7Xx4yZ9D9UMoj5Qxxh57yZ4i722PTrHE7Bl2/',
  'J53pbnuKbdNI026b9jLVtqmCctumo3NSgjkpwZyUYE5KMCclmJMSzEkJ5qQEc1KCOSnBnJRgBoUZFGZQmEFhBoUZFGZQmEFhBoUZ',
  'FAbM8nNsM7d/Q9dgy5EjbuCpiKnLtqly3B4R0yneevaOmKZ96zkyYprqredeEVOJjf2WuBUipnIffq2JWy1ievCfdCwnJZhBYQaF',
  'GRRmUJhBYQaFGRRmUJhBYQaFGRRmUJhBYQaFGRRmUJhBYQaFGRRmUJhBYQaFGRRmUJhBYQaF/QMAAP//1+/m+AAAAAZJREFUAwBs',
  'pIsiFPTWDQAAAABJRU5ErkJggg==',
];
