/**
 * What a payer's browser reports about itself, by its headers and by the script of the page (assets/browser-fields.js). It may send
 * anything: the values kept fit the ranges of EMV 3DS. Pure.
 */
import { limits } from '../../../config/limits.js';
import type { BrowserDetails } from '../../../shared/domain/payment/payment.js';

interface Said {
  readonly ipAddress: string;
  readonly userAgent: string | undefined;
  readonly accept: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** Field `browser` of the form; absent when no script ran. */
  readonly form: string | undefined;
  /** Language of the page, for a browser that sends no language. */
  readonly pageLanguage: string;
}

const SUBTAG = /^[A-Za-z0-9]{1,8}$/;

/** Returns as many parts of the language tag as EMV 3DS allows: `zh-Hant-TW` → `zh-Hant`. */
function shortTag(tag: string | null | undefined): string | undefined {
  let short = '';
  for (const part of (tag ?? '').trim().split('-')) {
    const longer = short === '' ? part : `${short}-${part}`;
    if (!SUBTAG.test(part) || longer.length > limits.browserLanguageLengthMax) break;
    short = longer;
  }
  return short === '' ? undefined : short;
}

/** Returns the first language that the browser asks for. */
const firstOf = (acceptLanguage: string | undefined) => shortTag(acceptLanguage?.split(/[,;]/, 1)[0]);

const within = (value: number, min: number, max: number) => Math.min(max, Math.max(min, Math.round(value)));

/** Rounds down to the next depth that EMV 3DS knows; it does not know 30 bits. */
const depthOf = (bits: number): number =>
  limits.browserColorDepths.findLast((known) => known <= bits) ?? limits.browserColorDepths[0];

/** Returns the values of the script; undefined when no script ran or its values are invalid. */
function scriptFields(form: string | undefined): Partial<BrowserDetails> | undefined {
  const sent = new URLSearchParams(form ?? '');
  const number = (name: string) =>
    /^-?\d{1,9}(\.\d+)?$/.test(sent.get(name) ?? '') ? Number(sent.get(name)) : Number.NaN;
  const [depth, height, width] = [number('colorDepth'), number('screenHeight'), number('screenWidth')];
  const offset = number('timeZoneOffset');
  if ([depth, height, width, offset].some(Number.isNaN)) return undefined;
  return {
    javaEnabled: sent.get('javaEnabled') === 'true',
    colorDepth: depthOf(depth),
    screenHeight: within(height, 0, limits.browserScreenMax),
    screenWidth: within(width, 0, limits.browserScreenMax),
    timeZoneOffset: within(offset, -limits.browserOffsetMinutesMax, limits.browserOffsetMinutesMax),
  };
}

/** Keeps one line of printable ASCII. */
const headerText = (text: string, lengthMax: number) => text.replace(/[^\x20-\x7e]/g, '').slice(0, lengthMax);

export function browserOf(said: Said): BrowserDetails & { readonly ipAddress: string } {
  const { ipAddress, userAgent, accept, acceptLanguage, form, pageLanguage } = said;
  const byScript = scriptFields(form);
  const named = byScript && shortTag(new URLSearchParams(form).get('language'));
  const agent = headerText(userAgent ?? '', limits.userAgentLengthMax).trim();
  return {
    ipAddress,
    ...(agent !== '' && { userAgent: agent }),
    acceptHeader: headerText(accept ?? '', limits.browserAcceptLengthMax) || '*/*',
    language: named ?? firstOf(acceptLanguage) ?? pageLanguage,
    javascriptEnabled: byScript !== undefined,
    ...byScript,
  };
}
