const nameOf = (pair: string): string => new URLSearchParams(pair).keys().next().value ?? '';

/**
 * An address of an integrator with our own fields in its query. What is in it already stays as it is written: it may be signed.
 * Only its fields of our names go, so that no other value is taken for ours.
 */
export function addToQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(fields, nameOf(pair)));
  url.search = [...kept, String(new URLSearchParams(fields))].join('&');
  return url.href;
}
