/**
 * How a policy names where a form or a frame of a page goes on to. Browsers look at the whole way, and where a foreign page
 * sends the payer on to is unknown here: so the scheme is named and not the origin of the first address.
 * @param urls of foreign pages
 * @returns no scheme where there is no address; `https:` along with `http:`, which only a testing environment has.
 */
export function schemesOf(urls: readonly string[]): readonly string[] {
  const schemes = [...new Set(urls.map((url) => new URL(url).protocol))];
  return schemes.includes('http:') ? ['http:', 'https:'] : schemes;
}
