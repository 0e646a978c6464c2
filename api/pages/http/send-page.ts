/**
 * Answers of pages: HTML under a policy that runs only our own scripts and those of a named guest. No cache keeps a page, and no other
 * site gets its address.
 */
import type { Response } from 'express';
import { send } from '../../http/send.js';
import { siteOf } from '../site.js';
import type { Page } from '../views/layout.view.js';

const SEE_OTHER = 303;
const HTML = 'text/html; charset=utf-8';

interface PagePolicy {
  /** Origins that may frame the page; none: no site may (docs/security.md#content-policy-of-pages). */
  readonly ancestors?: readonly string[];
  /** Origins or schemes whose pages a frame of the page may show; none: the page has no frame. */
  readonly frames?: readonly string[];
  /** Where the forms of the page may lead; our own origin by default. */
  readonly formTo?: string;
  /** A script that is not ours. */
  readonly guest?: Guest;
}

/** A third party's script and the origins it may use. Whatever the script puts into the page itself carries the nonce. */
export interface Guest {
  readonly nonce: string;
  /** The script's own origin, and those that it loads from, calls or frames: only scheme, host and port. */
  readonly origins: readonly string[];
}

/** Where browsers report what the policy of a page refused (docs/security.md#integrity-of-pages). */
export const REPORTS_PATH = '/reports';

/** Features that no page for payers uses; those that a wallet's window needs are left to the guest. */
const UNUSED = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'microphone', 'midi', 'usb'];

/**
 * Returns the headers of every page for payers. A page of another site that opened ours, or that ours opened, gets no reference to our window,
 * except for a wallet, whose window must be able to answer.
 */
const pageHeaders = (guest: Guest | undefined): Readonly<Record<string, string>> => ({
  'Cross-Origin-Opener-Policy': guest ? 'same-origin-allow-popups' : 'same-origin',
  'Permissions-Policy': [
    ...UNUSED.map((feature) => `${feature}=()`),
    `payment=(${guest ? ['self', ...guest.origins.map((origin) => `"${origin}"`)].join(' ') : ''})`,
  ].join(', '),
  'Reporting-Endpoints': `pages="${REPORTS_PATH}"`,
});

function policy({ ancestors = [], frames = [], formTo = "'self'", guest }: PagePolicy): string {
  const framed = [...frames, ...(guest?.origins ?? [])];
  const theirs = guest ? ` ${guest.origins.join(' ')}` : '';
  const made = guest ? ` 'nonce-${guest.nonce}'` : '';
  return [
    "default-src 'none'",
    `script-src 'self'${made}${theirs}`,
    `style-src 'self'${made}${theirs}`,
    `img-src 'self' data:${theirs}`,
    `connect-src 'self'${theirs}`,
    ...(guest ? [`font-src${theirs}`] : []),
    ...(framed.length > 0 ? [`frame-src ${framed.join(' ')}`] : []),
    `form-action ${formTo}`,
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`,
    // The older directive, for browsers that do not support the newer one.
    `report-uri ${REPORTS_PATH}`,
    'report-to pages',
  ].join('; ');
}

/** Answer to a payer's request: a page, or a redirect to one. */
export type PageAnswer =
  | { readonly redirectTo: string }
  | { readonly page: Page; readonly status?: number; readonly pagePolicy?: PagePolicy };

export function sendPage(response: Response, status: number, page: Page, reach: PagePolicy = {}): void {
  // The older header cannot express a list of origins: when the page may be framed, only the policy says so.
  if (reach.ancestors?.length) response.removeHeader('X-Frame-Options');
  send(response, status, page(siteOf(response)), {
    'Content-Type': HTML,
    'Content-Security-Policy': policy(reach),
    ...pageHeaders(reach.guest),
  });
}

/** Redirects the browser, by GET. */
export function seeOther(response: Response, location: string): void {
  send(response, SEE_OTHER, '', { 'Content-Type': HTML, Location: location });
}

export function sendAnswer(response: Response, answer: PageAnswer): void {
  if ('redirectTo' in answer) seeOther(response, answer.redirectTo);
  else sendPage(response, answer.status ?? 200, answer.page, answer.pagePolicy);
}
