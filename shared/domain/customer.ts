/**
 * A customer of a client (docs/api.md#customers). Customers belong to the whole client: every key of the client may use them. Times
 * are `Date` in UTC.
 */
import type { Metadata } from './payment/payment.js';

export interface CustomerDocument {
  readonly type?: number;
  readonly value?: string;
}

export interface CustomerAddress {
  readonly city?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly line1: string;
  readonly line2?: string;
  readonly postalCode?: string;
  readonly state?: string;
}

export interface CustomerShipping {
  readonly address?: CustomerAddress;
  readonly name?: string;
  readonly phone?: string;
}

/** What the integrator sent about a customer. A field that was never sent, or was cleared, is absent. */
export interface CustomerFields {
  readonly referenceId?: string;
  readonly metadata?: Metadata;
  readonly description?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly document?: CustomerDocument;
  readonly identification?: CustomerDocument;
  readonly birthdate?: Date;
  readonly address?: CustomerAddress;
  readonly shipping?: CustomerShipping;
}

/** Changes to a customer: an absent field stays, null clears the field, a nested object replaces the whole stored object. */
export type CustomerChanges = { readonly [K in keyof CustomerFields]?: CustomerFields[K] | null };

export interface Customer extends CustomerFields {
  /** `cus_…` */
  readonly _id: string;
  readonly clientId: string;
  readonly status: 'active';
  /** `email` in lowercase, by which lists search: case does not count. */
  readonly emailKey?: string;
  /** HMAC of the request that created the customer: it distinguishes a repeated request from another request with the same reference. */
  readonly requestDigest: string;
  /** Grows by 1 per write. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns the name to show: first and last name, or null when there is neither. */
export function customerName({ firstName, lastName }: CustomerFields): string | null {
  return [firstName, lastName].filter((part) => part !== undefined).join(' ') || null;
}

/** A customer has at least one of these fields (docs/decisions.md, "identifying field"). */
export const identifyingFields = [
  'referenceId',
  'email',
  'phone',
  'firstName',
  'lastName',
  'document.value',
  'identification.value',
] as const;

/** Whether the customer has an identifying field that is not blank. */
export function isIdentified(fields: CustomerFields): boolean {
  const { referenceId, email, phone, firstName, lastName, document, identification } = fields;
  return [referenceId, email, phone, firstName, lastName, document?.value, identification?.value].some(
    (value) => value !== undefined && value.trim() !== '',
  );
}

export const emailKeyOf = (email: string) => email.toLowerCase();

/** Applies changes to a customer. The result may have no identifying field any more: check it with {@link isIdentified}. */
export function mergeCustomer(customer: Customer, changes: CustomerChanges, now: Date): Customer {
  const { emailKey: _before, ...known } = customer;
  // Null and undefined members are left out, so that stored documents have no empty members.
  const merged = Object.fromEntries(
    Object.entries({ ...known, ...changes }).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as Customer;
  return {
    ...merged,
    ...(merged.email !== undefined && { emailKey: emailKeyOf(merged.email) }),
    updatedAt: now,
  };
}
