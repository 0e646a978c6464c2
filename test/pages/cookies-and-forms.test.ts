/** Cookies of the pages, and which forms count as sent by our own page. */
import type { Request, Response } from 'express';
import { keepName } from '../../api/pages/http/kept-name.js';
import { formTokenOf, isOwnForm, keepToken } from '../../api/pages/http/session-proof.js';
import { limits } from '../../config/limits.js';

const TOKEN = 'token-of-the-session';
const now = new Date('2026-11-01T12:00:00Z');
const requestWith = (headers: Record<string, string>) => ({ headers }) as unknown as Request;

/** Returns the cookies that are set, without their times. */
function cookiesOf(set: (response: Response) => void): readonly string[] {
  const cookies: string[] = [];
  set({ append: (_name: string, cookie: string) => void cookies.push(cookie) } as unknown as Response);
  return cookies;
}

test.each([
  ['https://pay.example.com', '__Host-gateway-ses_1', '; Secure'],
  ['http://localhost:8080', 'gateway-ses_1', ''],
])('the token of a session at %s is out of reach for scripts and foreign forms', (publicBaseUrl, name, secure) => {
  const deps = { config: { publicBaseUrl }, clock: { now: () => now } } as never;
  const hosted = { session: { _id: 'ses_1' } } as never;
  const expires = new Date(now.getTime() + limits.sessionRetentionMs).toUTCString();
  expect(cookiesOf((response) => keepToken(deps, requestWith({}), response, hosted, TOKEN))).toEqual([
    `${name}=${TOKEN}; Path=/; Expires=${expires}; HttpOnly${secure}; SameSite=Lax`,
  ]);
});

test.each([
  [true, '; Secure'],
  [false, ''],
])('the name on a card is kept for its page only, until the browser closes (https: %s)', (isSecure, secure) => {
  const kept = (name: string) => cookiesOf((response) => keepName(response, '/checkout/ses_1', isSecure, name));
  const bounds = `Path=/checkout/ses_1; HttpOnly${secure}; SameSite=Lax`;
  expect(kept('Ana')).toEqual([`gateway-name=Ana; ${bounds}`]);
  expect(kept('4242 4242 4242 4242')).toEqual([`gateway-name=; ${bounds}`]);
});

test('a long name on a card is not cut inside a character', () => {
  // The integrator may prefill a name that is longer than the field.
  const name = `${'A'.repeat(limits.keptNameLengthMax - 1)}😀B`;
  expect(cookiesOf((response) => keepName(response, '/', true, name))[0]).toMatch(/^gateway-name=A{79};/);
});

test.each(['same-site', 'cross-site', 'none'])('a form from %s is not our own, whatever proof it has', (site) => {
  expect(isOwnForm(requestWith({ 'sec-fetch-site': site }), TOKEN, formTokenOf(TOKEN))).toBe(false);
});

test.each<Record<string, string>>([{ 'sec-fetch-site': 'same-origin' }, {}])(
  'our own form has the proof: %j',
  (headers) => {
    const isOwn = (sent: unknown) => isOwnForm(requestWith(headers), TOKEN, sent);
    expect(isOwn(formTokenOf(TOKEN))).toBe(true);
    for (const sent of [undefined, '', TOKEN, formTokenOf('another'), [formTokenOf(TOKEN)]])
      expect(isOwn(sent)).toBe(false);
  },
);
