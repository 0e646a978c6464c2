/** Serves pages of the views alone, with their styles and scripts, for a real Chromium: without a gateway. */
import type { Page } from 'playwright-core';
import { assets } from '../../api/pages/assets.js';
import { type CheckoutModel, checkoutPage } from '../../api/pages/views/checkout.view.js';
import type { Page as Document } from '../../api/pages/views/layout.view.js';
import { type Receiver, startReceiver } from '../outbound/receiver.js';

/** The model of an ordinary checkout. */
const checkoutModel = (more: Partial<CheckoutModel> = {}): CheckoutModel => ({
  language: 'en',
  payee: { name: 'Casa Lumbre' },
  reference: 'ORD-10482',
  description: 'Invoice A-000731',
  amount: { totalMinor: 12_200, currency: 'USD' },
  cards: [],
  canSelect: true,
  canDelete: true,
  nameMode: 'optional',
  installments: [],
  transfer: true,
  attempt: 1,
  formToken: 'proof',
  errors: {},
  values: {},
  ...more,
});

export interface ShownPages {
  /** Requests that arrived, submitted forms included. */
  readonly received: Receiver['received'];
  /** Shows a document. A form that the page sends gets no answer. */
  show(page: Page, document: Document): Promise<void>;
  showCheckout(page: Page, more?: Partial<CheckoutModel>): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server for the document that is shown, and for the assets. */
export async function startShownPages(): Promise<ShownPages> {
  let shown = '';
  const server = await startReceiver((request, response) => {
    if (request.method === 'POST') return;
    const asset = assets().get((request.url ?? '').split('/').at(-1) ?? '');
    response.setHeader('content-type', asset?.contentType ?? 'text/html; charset=utf-8');
    response.end(asset?.bytes ?? shown);
  });
  const show: ShownPages['show'] = async (page, document) => {
    shown = document({ testing: true, operator: 'Gateway' });
    await page.goto(server.url);
  };
  return {
    received: server.received,
    show,
    showCheckout: (page, more = {}) => show(page, checkoutPage(checkoutModel(more))),
    close: () => server.close(),
  };
}
