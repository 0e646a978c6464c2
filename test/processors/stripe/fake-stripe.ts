/**
 * A server that answers as Stripe's reference says (docs.stripe.com/api), with books of its own: for the conformance suite and for
 * what no mock of the maker does, declines, faults and idempotency. It checks what is sent only as far as it needs it.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LedgerEntry } from '../../../shared/processors/processor.js';

type Wire = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly json: Wire;
  /** The answer was stored under the idempotency key of an earlier request. */
  readonly replayed?: true;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

export interface FakeStripe {
  readonly url: string;
  readonly books: readonly LedgerEntry[];
  readonly sent: readonly Sent[];
  readonly intents: ReadonlyMap<string, Intent>;
  /** Answers this instead, where it answers something. */
  interfere(answer: ((sent: Sent) => Answer | 'hang' | undefined) | undefined): void;
  /** Whether the search finds anything: its index lags behind. */
  indexed: boolean;
  /** A charge is made, and answered with an empty 500. */
  loseCharges: boolean;
  /** Each new POST to such a path is answered with an error 500, without effect. */
  failing: RegExp | undefined;
  last(path: RegExp): Sent | undefined;
  close(): Promise<void>;
}

const error = (status: number, more: Wire): Answer => ({
  status,
  json: { error: { doc_url: 'https://stripe.com/docs', ...more } },
});
const invalid = (code: string, status = 400) =>
  error(status, { type: 'invalid_request_error', code, message: `Refused: ${code}` });

/** Test cards of docs.stripe.com/testing, by number: code and decline code of their error. */
export const declines: Readonly<Record<string, readonly [code: string, declineCode: string | undefined]>> = {
  '4000000000000002': ['card_declined', 'generic_decline'],
  '4000000000009995': ['card_declined', 'insufficient_funds'],
  '4000000000009987': ['card_declined', 'lost_card'],
  '4000000000009979': ['card_declined', 'stolen_card'],
  '4000000000000069': ['expired_card', undefined],
  '4000000000000127': ['incorrect_cvc', undefined],
  '4000000000000119': ['processing_error', undefined],
  '4000000000006975': ['card_declined', 'card_velocity_exceeded'],
  '4000002760003184': ['authentication_required', 'authentication_not_handled'],
};

/** Test card whose payments Stripe's risk rules place in review. */
export const reviewed = '4000000000009235';

export class Intent {
  status = 'requires_payment_method';
  received = 0;
  refunded = 0;
  error: Wire | null = null;
  manual = false;
  /** Stripe's risk rules placed the payment in review. */
  inReview = false;
  cancellationReason: string | null = null;
  readonly metadata: Record<string, string> = {};
  readonly charge: string;
  constructor(
    readonly id: string,
    readonly amount: number,
    readonly currency: string,
    readonly created: number,
  ) {
    this.charge = `ch_${id.slice(3)}`;
  }

  json(expanded: boolean): Wire {
    const card = {
      authorization_code: '123456',
      network_transaction_id: '104102978678771',
      capture_before: this.created + 7 * 24 * 3600,
      checks: { address_line1_check: 'pass', address_postal_code_check: null, cvc_check: 'pass' },
    };
    const charge = {
      id: this.charge,
      object: 'charge',
      refunded: this.refunded > 0 && this.refunded === this.received,
      payment_method_details: { type: 'card', card },
      outcome: { type: this.inReview ? 'manual_review' : 'authorized', network_status: 'approved_by_network' },
    };
    const charged = this.status !== 'requires_payment_method' || this.error;
    return {
      id: this.id,
      object: 'payment_intent',
      amount: this.amount,
      amount_received: this.received,
      currency: this.currency,
      created: this.created,
      status: this.status,
      capture_method: this.manual ? 'manual' : 'automatic',
      cancellation_reason: this.cancellationReason,
      metadata: this.metadata,
      last_payment_error: this.error,
      latest_charge: charged ? (expanded ? charge : this.charge) : null,
    };
  }
}

/** `metadata[a]`, `metadata[b]`, … */
const metadataOf = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => (name.startsWith('metadata[') ? [[name.slice(9, -1), value]] : [])),
  );

const iso = () => new Date().toISOString();

class Books {
  readonly entries: LedgerEntry[] = [];
  readonly intents = new Map<string, Intent>();
  readonly refunds = new Map<string, Wire & { payment_intent: string }>();
  readonly methods = new Map<string, string>();
  indexed = true;
  #ids = 0;

  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${String(this.#ids).padStart(14, '0')}`;
  }

  note(
    kind: string,
    key: string,
    original: string | null,
    amountMinor: number,
    currency: string,
    result: string,
  ): void {
    this.entries.push({ at: iso(), kind, key, original, amountMinor, currency: currency.toUpperCase(), result });
  }

  post(path: string, form: URLSearchParams, key: string): Answer {
    if (path === '/v1/payment_methods') return this.#method(form);
    if (path === '/v1/payment_intents') return this.#create(form, key);
    if (path === '/v1/refunds') return this.#refund(form, key);
    const [, id = '', operation = ''] = /^\/v1\/payment_intents\/([^/]+)\/(capture|cancel)$/.exec(path) ?? [];
    const intent = this.intents.get(id);
    if (!intent) return invalid('resource_missing', 404);
    return operation === 'capture' ? this.#capture(intent, form, key) : this.#cancel(intent, form, key);
  }

  #method(form: URLSearchParams): Answer {
    const number = form.get('card[number]') ?? '';
    if (number === '4242424242424241') return error(402, { type: 'card_error', code: 'incorrect_number' });
    const id = this.newId('pm');
    this.methods.set(id, number);
    return { status: 200, json: { id, object: 'payment_method', type: 'card' } };
  }

  #create(form: URLSearchParams, key: string): Answer {
    const number = this.methods.get(form.get('payment_method') ?? '');
    if (number === undefined) return invalid('resource_missing');
    const amount = Number(form.get('amount'));
    if (amount > 99_999_999) return invalid('amount_too_large');
    const intent = new Intent(this.newId('pi'), amount, form.get('currency') ?? '', Math.floor(Date.now() / 1000));
    Object.assign(intent.metadata, metadataOf(form));
    this.intents.set(intent.id, intent);
    const manual = form.get('capture_method') === 'manual';
    const decline = declines[number];
    const kind = manual ? 'authorization' : 'purchase';
    this.note(kind, key, null, amount, intent.currency, decline ? 'declined' : 'approved');
    if (decline) {
      const [code, decline_code] = decline;
      intent.error = { type: 'card_error', code, ...(decline_code && { decline_code }) };
      const advice =
        decline_code === 'insufficient_funds' ? { advice_code: 'try_again_later', network_decline_code: '51' } : {};
      return error(402, {
        ...intent.error,
        ...advice,
        message: 'Your card was declined.',
        payment_intent: intent.json(false),
      });
    }
    intent.manual = manual;
    intent.inReview = number === reviewed;
    intent.status = manual ? 'requires_capture' : 'succeeded';
    intent.received = manual ? 0 : amount;
    return { status: 200, json: intent.json(true) };
  }

  #capture(intent: Intent, form: URLSearchParams, key: string): Answer {
    const amount = Number(form.get('amount_to_capture') ?? intent.amount);
    if (intent.status !== 'requires_capture') return invalid('payment_intent_unexpected_state');
    if (amount > intent.amount) return invalid('amount_too_large');
    Object.assign(intent.metadata, metadataOf(form));
    intent.status = 'succeeded';
    intent.received = amount;
    this.note('capture', key, intent.metadata['gateway_key'] ?? '', amount, intent.currency, 'approved');
    return { status: 200, json: intent.json(true) };
  }

  #cancel(intent: Intent, form: URLSearchParams, key: string): Answer {
    if (intent.status === 'succeeded' || intent.status === 'canceled')
      return invalid('payment_intent_unexpected_state');
    intent.status = 'canceled';
    intent.cancellationReason = form.get('cancellation_reason');
    const kind = intent.cancellationReason === 'abandoned' ? 'reversal' : 'cancellation';
    this.note(kind, key, intent.metadata['gateway_key'] ?? '', intent.amount, intent.currency, 'approved');
    return { status: 200, json: intent.json(true) };
  }

  #refund(form: URLSearchParams, key: string): Answer {
    const intent = this.intents.get(form.get('payment_intent') ?? '');
    const amount = Number(form.get('amount'));
    if (!intent) return invalid('resource_missing', 404);
    if (intent.status !== 'succeeded') return invalid('charge_not_refundable');
    if (intent.refunded === intent.received) return invalid('charge_already_refunded');
    if (amount > intent.received - intent.refunded) return invalid('amount_too_large');
    intent.refunded += amount;
    const kind = form.get('metadata[gateway_key]')?.endsWith('-reverse') ? 'reversal' : 'refund';
    this.note(kind, key, intent.metadata['gateway_key'] ?? '', amount, intent.currency, 'approved');
    const refund = {
      id: this.newId('re'),
      object: 'refund',
      status: 'succeeded',
      amount,
      currency: intent.currency,
      metadata: metadataOf(form),
      payment_intent: intent.id,
    };
    this.refunds.set(refund.id, refund);
    return { status: 200, json: refund };
  }

  get(path: string, query: URLSearchParams): Answer {
    const list = (data: readonly Wire[]): Answer => ({ status: 200, json: { object: 'list', data, has_more: false } });
    if (path === '/v1/payment_intents/search') {
      const key = /:'([^']*)'/.exec(query.get('query') ?? '')?.[1];
      const found = [...this.intents.values()].filter(({ metadata }) => metadata['gateway_key'] === key);
      return {
        status: 200,
        json: {
          object: 'search_result',
          has_more: false,
          data: this.indexed ? found.map((one) => one.json(false)) : [],
        },
      };
    }
    if (path === '/v1/payment_intents') return list([...this.intents.values()].reverse().map((one) => one.json(false)));
    if (path === '/v1/refunds') {
      const named = (one: { payment_intent: string }) => one.payment_intent === query.get('payment_intent');
      const found = [...this.refunds.entries()].filter(([, one]) => named(one)).reverse();
      const start = found.findIndex(([id]) => id === query.get('starting_after')) + 1;
      const end = start + Number(query.get('limit') ?? 10);
      const data = found.slice(start, end).map(([, one]) => one);
      return { status: 200, json: { object: 'list', data, has_more: end < found.length } };
    }
    const [, kind = '', id = ''] = /^\/v1\/(payment_intents|refunds)\/([^/]+)$/.exec(path) ?? [];
    const found = kind === 'refunds' ? this.refunds.get(id) : this.intents.get(id)?.json(true);
    return found ? { status: 200, json: found } : invalid('resource_missing', 404);
  }
}

export async function startFakeStripe(secretKeys: readonly string[]): Promise<FakeStripe> {
  const books = new Books();
  const answers = new Map<string, Answer & { form: string }>();
  const sent: Sent[] = [];
  let losing = false;
  let failing: RegExp | undefined;
  let interference: ((sent: Sent) => Answer | 'hang' | undefined) | undefined;

  function answerTo(one: Sent, query: URLSearchParams): Answer {
    const bearer = secretKeys.some((key) => one.headers.authorization === `Bearer ${key}`);
    if (!bearer) return error(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
    if (one.method === 'GET') return books.get(one.path, query);
    const key = String(one.headers['idempotency-key']);
    const known = answers.get(key);
    if (known && known.form !== `${one.path} ${one.form}`) return error(400, { type: 'idempotency_error' });
    if (known) return { ...known, replayed: true };
    const answer = failing?.test(one.path)
      ? error(500, { type: 'api_error', message: 'An unknown error occurred' })
      : books.post(one.path, one.form, key);
    answers.set(key, { ...answer, form: `${one.path} ${one.form}` });
    return answer;
  }

  const server = createServer((request, response) => {
    const answer = async () => {
      const { method = 'GET', headers } = request;
      const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://stripe');
      const one: Sent = { method, path, headers, form: new URLSearchParams(await text(request)) };
      sent.push(one);
      const answered = interference?.(one) ?? answerTo(one, searchParams);
      if (answered === 'hang') return;
      if (losing && method === 'POST' && path === '/v1/payment_intents') return void response.writeHead(500).end();
      response.writeHead(answered.status, {
        'content-type': 'application/json',
        'request-id': 'req_1',
        ...(answered.replayed && { 'idempotent-replayed': 'true' }),
      });
      response.end(JSON.stringify(answered.json));
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    books: books.entries,
    sent,
    intents: books.intents,
    get indexed() {
      return books.indexed;
    },
    set indexed(value) {
      books.indexed = value;
    },
    get loseCharges() {
      return losing;
    },
    set loseCharges(value) {
      losing = value;
    },
    get failing() {
      return failing;
    },
    set failing(value) {
      failing = value;
    },
    interfere(answer) {
      interference = answer;
    },
    last: (path) => sent.findLast((one) => path.test(`${one.method} ${one.path}`)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
