/** Adyen's notifications (standard webhook, JSON): one request may have several items. */
import Joi from 'joi';
import { adyenLimits } from '../../../config/adyen-limits.js';
import type { AdyenAmount } from './wire.js';

/** `NotificationRequestItem` */
export interface AdyenNotification {
  readonly eventCode: string;
  readonly success: 'true' | 'false';
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantReference?: string;
  readonly merchantAccountCode: string;
  readonly amount: AdyenAmount;
  readonly eventDate?: string;
  readonly reason?: string;
  readonly additionalData: Readonly<Record<string, string>>;
}

const TEXT_MAX = 10_000;
/** A reference; for reports it is the name of a file. */
const name = Joi.string().max(200);
const text = Joi.string().allow('', null).max(TEXT_MAX);
const amount = Joi.object({
  currency: Joi.string().max(3).required(),
  value: Joi.number().integer().required(),
});

const itemSchema = Joi.object({
  eventCode: Joi.string()
    .pattern(/^[A-Z0-9_]{1,64}$/)
    .required(),
  success: Joi.valid('true', 'false').required(),
  pspReference: name.required(),
  originalReference: name.allow('', null),
  merchantReference: text,
  merchantAccountCode: name.required(),
  amount: amount.required(),
  eventDate: text,
  reason: text,
  additionalData: Joi.object().unknown(),
});

const schema = Joi.object({
  notificationItems: Joi.array()
    .items(Joi.object({ NotificationRequestItem: itemSchema.required() }))
    .min(1)
    .max(adyenLimits.notificationItemsMax)
    .required(),
}).required();

interface Wire {
  readonly notificationItems: readonly { readonly NotificationRequestItem: Record<string, unknown> }[];
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '';

/** Removes empty values: Adyen writes an absent value as `null`, as an empty text, or not at all. */
function clean({ amount: sum, additionalData, ...item }: Record<string, unknown>): AdyenNotification {
  const data = Object.fromEntries(Object.entries((additionalData as object | undefined) ?? {}).filter(isText));
  const texts = Object.fromEntries(Object.entries(item).filter(isText));
  return { ...texts, amount: sum, additionalData: data } as unknown as AdyenNotification;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Reads the items; `undefined` when the body does not have the shape that Adyen documents. */
export function readNotifications(body: Buffer): readonly AdyenNotification[] | undefined {
  const { error, value } = schema.validate(parse(body), { convert: false, stripUnknown: true });
  if (error) return undefined;
  return (value as Wire).notificationItems.map(({ NotificationRequestItem }) => clean(NotificationRequestItem));
}
