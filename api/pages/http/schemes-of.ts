/**
 * Returns how a page's policy names the target of a form or a frame. Browsers check every redirect, and we do not know where a foreign
 * page redirects the payer: so the policy names the scheme and not the origin of the first address.
 * @param urls of foreign pages
 * @returns no scheme without an address; `https:` along with `http:`, which only a testing environment has.
 */
export function schemesOf(urls: readonly string[]): readonly string[] {
  const schemes = [...new Set(urls.map((url) => new URL(url).protocol))];
  return schemes.includes('http:') ? ['http:', 'https:'] : schemes;
}
