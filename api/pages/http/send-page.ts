/** Answers of pages: HTML under a policy that runs only scripts of ours and a guest by name, kept by no cache and sent to no other site. */
import type { Response } from 'express';
import { send } from '../../http/send.js';
import { siteOf } from '../site.js';
import type { Page } from '../views/layout.view.js';

const SEE_OTHER = 303;
const HTML = 'text/html; charset=utf-8';

interface Reach {
  /** Origins that may frame the page; none: no site (docs/security.md#content-policy-of-pages). */
  readonly ancestors?: readonly string[];
  /** Origins or schemes whose pages a frame of the page may show; none: it has no frame. */
  readonly frames?: readonly string[];
  /** Where the forms of the page may lead; by default our own origin. */
  readonly formTo?: string;
  /** A script that is not ours. */
  readonly guest?: Guest;
}

/** A script of a third party, and how far it may reach: what it puts into the page itself carries the nonce. */
export interface Guest {
  readonly nonce: string;
  /** Its own origin, and those it loads from, asks or frames. Nothing but scheme, host and port. */
  readonly origins: readonly string[];
}

/** Where browsers tell of what a policy of a page refused (docs/security.md#integrity-of-pages). */
export const REPORTS_PATH = '/reports';

/** What no page for payers uses; what a wallet's window needs is left to the guest alone. */
const UNUSED = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'microphone', 'midi', 'usb'];

/**
 * Headers of every page for payers. A page of another site that opened ours, or is opened by it, holds no handle of it; but for
 * a wallet, whose window answers.
 */
const pageHeaders = (guest: Guest | undefined): Readonly<Record<string, string>> => ({
  'Cross-Origin-Opener-Policy': guest ? 'same-origin-allow-popups' : 'same-origin',
  'Permissions-Policy': [
    ...UNUSED.map((feature) => `${feature}=()`),
    `payment=(${guest ? ['self', ...guest.origins.map((origin) => `"${origin}"`)].join(' ') : ''})`,
  ].join(', '),
  'Reporting-Endpoints': `pages="${REPORTS_PATH}"`,
});

function policy({ ancestors = [], frames = [], formTo = "'self'", guest }: Reach): string {
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
    // The older name for browsers that do not know the newer.
    `report-uri ${REPORTS_PATH}`,
    'report-to pages',
  ].join('; ');
}

/** What a request of a payer is answered with: a page, or the way to one. */
export type PageAnswer =
  | { readonly see: string }
  | { readonly page: Page; readonly status?: number; readonly reach?: Reach };

export function sendPage(response: Response, status: number, page: Page, reach: Reach = {}): void {
  // The older header knows no list of origins: where one may frame, the policy alone says so.
  if (reach.ancestors?.length) response.removeHeader('X-Frame-Options');
  send(response, status, page(siteOf(response)), {
    'Content-Type': HTML,
    'Content-Security-Policy': policy(reach),
    ...pageHeaders(reach.guest),
  });
}

/** Sends the browser on, by GET. */
export function seeOther(response: Response, location: string): void {
  send(response, SEE_OTHER, '', { 'Content-Type': HTML, Location: location });
}

export function sendAnswer(response: Response, answer: PageAnswer): void {
  if ('see' in answer) seeOther(response, answer.see);
  else sendPage(response, answer.status ?? 200, answer.page, answer.reach);
}
