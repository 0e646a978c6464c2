/** The common parts of all pages for payers: the head, the slip (the stub says what is paid, the sheet how), the foot. */
import type { Payee } from '../../merchants/payee.js';
import { type Asset, assetOf, integrityOf } from '../assets.js';
import { formatFigure, type Money } from '../format.js';
import { attribute, type Html, html, raw } from '../html.js';
import { type Language, languages, textsOf } from '../language.js';
import { colorSheet, colorSheetPath } from '../merchant-color.js';
import type { OfSite, Site } from '../site.js';
import { shopContact } from './contact.view.js';
import { itemsBeside, type ShownItems } from './items.view.js';

type Named = Pick<Asset, 'path' | 'integrity'>;

/** Renders the element of one of our own files, with its digest: a browser refuses any other bytes (docs/security.md#integrity-of-pages). */
const script = ({ path, integrity }: Named) =>
  html`<script type="module" src="${path}" integrity="${integrity}"></script>`;
const styleSheet = ({ path, integrity }: Named) =>
  html`<link rel="stylesheet" href="${path}" integrity="${integrity}">`;
const colorSheetAsset = (color: string): Named => ({
  path: colorSheetPath(color),
  integrity: integrityOf(colorSheet(`${color}.css`) ?? ''),
});

interface PageModel {
  readonly language: Language;
  readonly title: string;
  readonly body: OfSite<Html>;
  /** Payee whose colour the page uses; absent when no merchant is known. */
  readonly payee?: Payee | undefined;
  /** Class of `body`. */
  readonly look?: 'embed';
  /** Names of scripts among the assets. */
  readonly scripts?: readonly string[];
  /** A third party's script; our own script finds it by this id. */
  readonly guest?: { readonly id: string; readonly url: string; readonly nonce: string } | undefined;
  /** Seconds after which a browser without scripts reloads the page. */
  readonly refreshSeconds?: number;
}

/** A whole document, rendered once its site is known. */
export type Page = OfSite<string>;

/** Renders a whole document. Scripts are our own files, except a guest's; none is inline. */
export const page = (model: PageModel): Page => {
  const { language, title, body, payee, look, scripts = [], guest, refreshSeconds } = model;
  // Reloads only the path: for an address with a fragment a browser would only scroll. The chosen language is in a cookie.
  const refresh =
    refreshSeconds !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}; url=?"></noscript>`;
  return (site) => {
    const shown = body(site);
    // Quotes that are part of a text are escaped.
    const needs = (mark: string, name: string) => (shown.text.includes(mark) ? [name] : []);
    const all = [...needs(' data-offline="', 'offline.js'), ...scripts, ...needs(' data-show="', 'times.js')];
    return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${styleSheet(assetOf('pages.css'))}
${payee?.color !== undefined && styleSheet(colorSheetAsset(payee.color))}
${all.map((name) => script(assetOf(name)))}
${guest && html`<script async id="${guest.id}" src="${guest.url}" nonce="${guest.nonce}"></script>`}
${refresh}
</head>
<body${attribute('class', look)}>
${shown}
</body>
</html>
`.text;
  };
};

const other = (language: Language, kept: string | undefined) => (code: Language) =>
  code !== language &&
  html`<a href="?${kept !== undefined && html`${kept}&amp;`}lang=${code}" hreflang="${code}" lang="${code}">${textsOf[code].language}</a> `;

/** Says that no money moves, in testing. */
export const testMark = (language: Language, { testing }: Site): Html | false =>
  testing &&
  html`<aside class="strip" aria-label="${textsOf[language].environment}">${textsOf[language].testing}</aside>`;

/** Links to the operator's own pages. They open in a new tab, so that nothing that was typed is lost. */
export function siteLinks(language: Language, { privacyUrl, termsUrl, supportUrl }: Site): readonly Html[] {
  const { privacy, terms, support } = textsOf[language];
  const links: readonly (readonly [string, string | undefined])[] = [
    [privacy, privacyUrl],
    [terms, termsUrl],
    [support, supportUrl],
  ];
  return links.flatMap(([name, url]) =>
    url === undefined ? [] : [html`<a href="${url}" target="_blank" rel="noopener noreferrer">${name}</a> `],
  );
}

interface SlipModel {
  readonly language: Language;
  /** Absent on pages without a merchant. */
  readonly stub?: Html;
  /** A function when it depends on the site. */
  readonly sheet: Html | OfSite<Html>;
  readonly wide?: boolean;
  /** Part of the query that links to other languages keep. */
  readonly kept?: string | undefined;
}

/** The body of a page that is not embedded. */
export const slip =
  ({ language, stub, sheet, wide = false, kept }: SlipModel): OfSite<Html> =>
  (site) => {
    const texts = textsOf[language];
    return html`<a class="skip" href="#main">${texts.skip}</a>
${testMark(language, site)}
<main id="main" class="${wide ? 'slip wide' : 'slip'}">
${stub}
<div class="sheet stack">
${typeof sheet === 'function' ? sheet(site) : sheet}
</div>
</main>
<footer class="foot cluster apart">
<p>${texts.securedBy} &nbsp;<span class="mark">${site.operator}</span></p>
<nav class="cluster" aria-label="${texts.languagesAndMore}">${languages.map(other(language, kept))}${siteLinks(language, site)}</nav>
</footer>`;
  };

interface StubModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly description?: string | undefined;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** Shown only when the stub is a column. */
  readonly items?: ShownItems | undefined;
  /** Absent until the payer has chosen the amount. */
  readonly amount?: Money | undefined;
  /** Word beside the amount. */
  readonly label: string;
  /** Omits the rule under an amount that will not be paid. */
  readonly unpaid?: boolean;
  /** Stays in view on tall narrow screens, unless it is high. */
  readonly stay?: boolean;
}

/** A longer figure (`1,234,567.00`) gets a separate line and smaller type. */
const FIGURE_LENGTH_BESIDE = 10;

/** Letters of the name on a line of the narrowest page: beside a logo and the amount, and with the amount on a separate line. */
const NAME_LINE_LENGTH = 12;
const NAME_LINE_LENGTH_ALONE = 24;
const DESCRIPTION_LINE_LENGTH = 30;
/** Lines that fit into the space which the style sheet keeps free above a field (`scroll-padding`). */
const LOW_LINES_MAX = 4;

const linesOf = (text: string, length: number) => Math.ceil(text.length / length);

/**
 * Whether the stub of a narrow page may be so high that it would cover the field that gets the focus if it stayed in view.
 * @param long whether the amount has a separate line
 */
const isHigh = (name: string, description: string, long: boolean): boolean => {
  const above = long ? linesOf(name, NAME_LINE_LENGTH_ALONE) + 1 : linesOf(name, NAME_LINE_LENGTH);
  return above + linesOf(description, DESCRIPTION_LINE_LENGTH) > LOW_LINES_MAX;
};

/** Shows what is paid, and to whom. */
export function stub(model: StubModel): Html {
  const { language, payee, description = '', facts = [], items, amount, label, unpaid, stay } = model;
  const { name, logoUrl, contact } = payee;
  const figure = amount && formatFigure(amount, language);
  const long = figure !== undefined && figure.length > FIGURE_LENGTH_BESIDE;
  const marks = [stay && 'stay', isHigh(name, description, long) && 'high', !logoUrl && 'plain', long && 'long'];
  const look = ['stub', ...marks].filter(Boolean).join(' ');
  return html`<section class="${look}" aria-label="${textsOf[language].whatYouPay}"><div>
<div class="payee">${logoUrl !== undefined && html`<img src="${logoUrl}" alt="" width="56" height="56">`}<p><b translate="no">${name}</b><span class="soft">${description}</span></p></div>
${facts.length > 0 && html`<dl class="facts">${facts.map(([term, value]) => html`<dt>${term}</dt><dd class="mono" translate="no">${value}</dd>`)}</dl>`}
${itemsBeside(language, items)}
${amount && html`<p class="${unpaid ? 'total unpaid' : 'total'}"><span>${label}</span> <strong><small>${amount.currency}</small> ${figure}</strong></p>`}
${shopContact(contact)}
</div></section>`;
}

const seals = {
  ok: raw('<path d="M5 13l4.500 4.500L19 7.500"/>'),
  time: raw('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.500 2"/>'),
  stop: raw('<path d="M7 7l10 10M17 7L7 17"/>'),
} as const;

/** The symbol beside the heading of a result. */
export const seal = (kind: keyof typeof seals): Html =>
  html`<svg width="48" height="48" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" class="${kind === 'ok' ? 'seal ok' : 'seal soft'}">${seals[kind]}</svg>`;
