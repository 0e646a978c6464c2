/** What the pages for payers say about the operator. */
import type { Setting } from './setting.js';

export const pageSettings = {
  pagesOperatorName: {
    env: 'PAGES_OPERATOR_NAME',
    kind: 'name',
    about: 'Name at the foot of the pages for payers: who secures the payment (1 to 60 characters). Not set: Gateway.',
  },
  pagesPrivacyUrl: {
    env: 'PAGES_PRIVACY_URL',
    kind: 'https',
    about: 'Address of the privacy notice, linked at the foot of the pages for payers (https). Not set: no link.',
  },
  pagesTermsUrl: {
    env: 'PAGES_TERMS_URL',
    kind: 'https',
    about: 'Address of the terms, linked at the foot of the pages for payers (https). Not set: no link.',
  },
  pagesSupportUrl: {
    env: 'PAGES_SUPPORT_URL',
    kind: 'https',
    about:
      'Address where payers get help, linked at the foot of their pages and where a page ends without a payment (https). Not set: no link.',
  },
} as const satisfies Record<string, Setting>;
