/** Address of a shop and ways to contact it, as far as its operator has set them. */
import type { PageContact } from '../../../shared/domain/merchant.js';
import { type Html, html } from '../html.js';

/** Encodes the address, so that no `?` in it can add header fields to the mail. */
const mailTo = (email: string) => `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
const dial = (phone: string) => `tel:${phone.replace(/[^+\d]/g, '')}`;
const SCHEME_AND_SLASH = /^https:\/\/|\/$/g;

/** Links to contact the shop; none when nothing is set. */
export function contactLinks({ email, phone, url }: PageContact = {}): readonly Html[] {
  return [
    email !== undefined && html`<a href="${mailTo(email)}">${email}</a> `,
    phone !== undefined && html`<a class="num" href="${dial(phone)}">${phone}</a> `,
    url !== undefined &&
      html`<a href="${url}" target="_blank" rel="noopener noreferrer">${url.replace(SCHEME_AND_SLASH, '')}</a> `,
  ].filter((link) => link !== false);
}

/** Address and links in a separate column. */
export function shopContact(contact: PageContact = {}): Html | false {
  const links = contactLinks(contact);
  const { address } = contact;
  if (address === undefined && links.length === 0) return false;
  return html`<address class="shop">${address !== undefined && html`<p>${address}</p>`}${links.map((link) => html`<p>${link}</p>`)}</address>`;
}
