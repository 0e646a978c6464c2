/** Cookies of hosted sessions, over HTTP as a browser sends them. */
import { limits } from '../../config/limits.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { checkoutBody, makeSession, tokenizationBody } from './session-support.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'cookies', pools: [] });
});
afterAll(() => gateway?.close());

/** Cookies in the order in which they were set, as browsers send them. */
class Jar {
  readonly cookies = new Map<string, string>();
  readonly header = () => [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

async function visit(url: string, jar: Jar): Promise<number> {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie: jar.header() } });
  jar.keep(response);
  const to = response.headers.get('location');
  return to === null ? response.status : visit(new URL(to, url).href, jar);
}

test('a browser that pays often keeps the newest sessions, so that its headers never grow too long', async () => {
  const jar = new Jar();
  const pages: string[] = [];
  for (let n = 0; n < limits.sessionCookiesMax + 5; n += 1) {
    const session = await makeSession(gateway, checkoutBody());
    const href = session.actions[0].href;
    pages.push(href.replace(/\?.*/, ''));
    expect(await visit(href.replace(gateway.config.publicBaseUrl, gateway.baseUrl), jar)).toBe(200);
  }
  expect(jar.cookies.size).toBe(limits.sessionCookiesMax);
  const here = pages.map((page) => page.replace(gateway.config.publicBaseUrl, gateway.baseUrl));
  const [oldest = ''] = here;
  expect(await visit(oldest, jar)).toBe(404);
  for (const page of here.slice(-limits.sessionCookiesMax)) expect(await visit(page, jar)).toBe(200);
});

test('only the token as it was issued opens a page, so that no longer text becomes a cookie', async () => {
  const { actions } = await makeSession(gateway, checkoutBody());
  const url = actions[0].href.replace(gateway.config.publicBaseUrl, gateway.baseUrl);
  // The last character of 32 bytes in base64url has two bits without a meaning.
  const sameBytes = url.replace(/.$/, (last: string) => String.fromCharCode(last.charCodeAt(0) + 1));
  for (const other of [`${url}${'!'.repeat(3_000)}`, `${url}=`, sameBytes]) {
    const jar = new Jar();
    expect(await visit(other, jar)).toBe(404);
    expect(jar.cookies.size).toBe(0);
  }
  const jar = new Jar();
  expect([await visit(url, jar), jar.cookies.size]).toEqual([200, 1]);
});

test('no page of the other type opens for a session, neither by its token nor by its cookie', async () => {
  const settings = { redirects: { defaultUrl: 'https://shop.example/thanks' } };
  for (const [body, own, others] of [
    [checkoutBody({ settings }), 'checkout', ['tokenization', 'tokenization/embedded']],
    [tokenizationBody({ settings }), 'tokenization', ['checkout']],
  ] as const) {
    const { id, actions } = await makeSession(gateway, body);
    const { search } = new URL(actions[0].href);
    const jar = new Jar();
    expect(await visit(`${gateway.baseUrl}/${own}/${id}${search}`, jar)).toBe(200);
    for (const page of others) {
      for (const path of [
        `${page}/${id}`,
        `${page}/${id}/status`,
        ...(page === 'checkout' ? [`${page}/${id}/receipt`] : []),
      ]) {
        const answers = [
          await visit(`${gateway.baseUrl}/${path}`, jar),
          await visit(`${gateway.baseUrl}/${path}${search}`, jar),
        ];
        expect([path, ...answers]).toEqual([path, 404, 404]);
      }
    }
  }
});
