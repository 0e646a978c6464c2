/**
 * An address of an integrator with our own fields in its query. What is in it already stays as it is written: it may be signed.
 * Only where it has a field of one of our names that one is replaced, so that no other value is taken for ours.
 */
export function addToQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  if (Object.keys(fields).some((name) => url.searchParams.has(name))) {
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    return url.href;
  }
  url.search = [url.search.slice(1), String(new URLSearchParams(fields))].filter(Boolean).join('&');
  return url.href;
}
