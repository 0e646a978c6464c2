const nameOf = (pair: string): string => new URLSearchParams(pair).keys().next().value ?? '';

/**
 * Adds our own fields to the query of an integrator's address. The rest of the query stays exactly as it is written, because the
 * integrator may have signed it. Only existing fields with our names are removed, so that no other value is taken for ours.
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
