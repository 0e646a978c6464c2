/** Customers on the wire (docs/api.md#customers; docs/decisions.md, "Customers, instruments, card data"). */
import type { CustomHelpers, Schema } from 'joi';
import { limits } from '../../config/limits.js';
import { body, Joi, metadata, named, nullable, query, text } from '../../shared/contract/joi.js';
import {
  type CustomerAddress,
  type CustomerChanges,
  type CustomerDocument,
  type CustomerFields,
  type CustomerShipping,
  identifyingFields,
  isIdentified,
} from '../../shared/domain/customer.js';
import { dateTime, orNull } from '../http/answer-fields.js';
import { dateOrderError, maxDate, minDate } from '../http/created-filters.js';
import { type PageQuery, pageFields } from '../http/paging.js';
import { addressSchema, documentSchema } from '../payments/card.schema.js';

/** Body of a new customer; its metadata is still the map that was sent. */
export type CustomerBody = Omit<CustomerFields, 'metadata'> & { readonly metadata?: Record<string, string> };
/** Body of an update: null clears a field. */
export type CustomerUpdateBody = Omit<CustomerChanges, 'metadata'> & {
  readonly metadata?: Record<string, string> | null;
};

const email = () => Joi.string().max(limits.emailLengthMax).email({ tlds: false });

const shippingSchema = named(
  'Shipping',
  body<CustomerShipping>({
    address: nullable(addressSchema),
    name: nullable(text(2 * limits.shortTextLengthMax)),
    phone: nullable(text(limits.phoneLengthMax)),
  }),
);

/** All fields that can be sent. `optional` decides what null means: absent (a new customer) or cleared (an update). */
const fields = (optional: (schema: Schema) => Schema) => ({
  referenceId: optional(text(limits.referenceLengthMax)).description(
    'Your own reference, unique among your customers.',
  ),
  metadata: optional(metadata()),
  description: optional(text(limits.textLengthMax)),
  email: optional(email()),
  phone: optional(text(limits.phoneLengthMax)).description('With country code.'),
  firstName: optional(text(limits.shortTextLengthMax)),
  lastName: optional(text(limits.shortTextLengthMax)),
  document: optional(documentSchema).description('Primary identification document.'),
  identification: optional(documentSchema).description('Secondary document or tax identification.'),
  birthdate: optional(Joi.dateTime()),
  address: optional(addressSchema).description('Billing or primary address.'),
  shipping: optional(shippingSchema),
});

/** Message for a customer without any identifying field. */
export const unidentified = `must have at least one of ${identifyingFields.join(', ')}`;

function checkIdentified(customer: CustomerBody, helpers: CustomHelpers): unknown {
  const { metadata: _map, ...known } = customer;
  return isIdentified(known) ? customer : helpers.error('field.invalid', { reason: unidentified });
}

/** A field that only the gateway sets: the sent value is checked for its type and dropped. */
const readOnly = (schema: Schema) => nullable(schema).strip().description('Read only: ignored.');
const status = () => readOnly(Joi.string().valid('active'));

export const customerRequestSchema = named(
  'CustomerRequest',
  body<CustomerBody>(fields(nullable), { status: status() }).custom(checkIdentified, 'identifying field'),
);

export const customerUpdateSchema = named(
  'CustomerUpdate',
  body<CustomerUpdateBody>(
    fields((schema) => schema.allow(null)),
    {
      id: readOnly(text(limits.idLengthMax)),
      name: readOnly(text(2 * limits.shortTextLengthMax + 1)),
      status: status(),
      createdAt: readOnly(Joi.dateTime()),
      updatedAt: readOnly(Joi.dateTime()),
    },
  ),
);

interface CustomerQuery extends PageQuery {
  readonly referenceId?: string;
  readonly email?: string;
  readonly minDate?: Date;
  readonly maxDate?: Date;
}

const checkDates = (asked: CustomerQuery, helpers: CustomHelpers): unknown => dateOrderError(asked, helpers) ?? asked;

export const customerQuerySchema = query<CustomerQuery>({
  referenceId: text(limits.referenceLengthMax),
  email: email().description('Case-insensitive.'),
  minDate: minDate(),
  maxDate: maxDate(),
  ...pageFields,
}).custom(checkDates, 'dates');

const string = () => orNull(Joi.string());

const documentView = named(
  'CustomerDocument',
  body<Record<keyof CustomerDocument, unknown>>({ type: orNull(Joi.number().integer()), value: string() }),
);

const addressView = named(
  'CustomerAddress',
  body<Record<keyof CustomerAddress, unknown>>({
    city: string(),
    country: string(),
    line1: Joi.string().required(),
    line2: string(),
    postalCode: string(),
    state: string(),
  }),
);

export const customerSchema = named(
  'Customer',
  body({
    id: Joi.string().required(),
    referenceId: string(),
    metadata: orNull(Joi.object().pattern(Joi.string(), Joi.string().allow(''))),
    description: string(),
    email: string(),
    name: string().description('First and last name.'),
    phone: string(),
    firstName: string(),
    lastName: string(),
    document: orNull(documentView),
    identification: orNull(documentView),
    birthdate: orNull(dateTime()),
    address: orNull(addressView),
    shipping: orNull(
      named(
        'CustomerShipping',
        body<Record<keyof CustomerShipping, unknown>>({
          address: orNull(addressView),
          name: string(),
          phone: string(),
        }),
      ),
    ),
    status: Joi.string().valid('active').required(),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
  }),
);
