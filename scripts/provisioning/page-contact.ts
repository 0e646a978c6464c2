import Joi from 'joi';
import { limits } from '../../config/limits.js';
import type { PageContact } from '../../shared/domain/merchant.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

const { contactAddressLengthMax, urlLengthMax } = limits;
/** RFC 5321. */

const checks = {
  address: Joi.string()
    .max(contactAddressLengthMax)
    .pattern(/^[^\p{C}]*[\p{L}\p{N}][^\p{C}]*$/u),
  email: Joi.string().max(limits.emailLengthMax).email({ tlds: false }),
  phone: Joi.string().pattern(/^\+?[\d ()-]{5,24}$/),
  url: Joi.string()
    .max(urlLengthMax)
    .uri({ scheme: ['https'] }),
} as const satisfies Record<keyof PageContact, Joi.StringSchema>;

const expected = {
  address: `one line of at most ${contactAddressLengthMax} characters`,
  email: 'an e-mail address',
  phone: '5 to 24 digits, spaces, brackets and hyphens, perhaps with + in front',
  url: 'an https address',
} as const satisfies Record<keyof PageContact, string>;

/**
 * Sets what a merchant's hosted pages tell payers about the shop. Replaces what was set before.
 * @param contact undefined: the pages show only the merchant's name
 * @throws {ProvisioningError} when a part is not of the required form, or there is no such merchant
 */
export async function setPageContact(
  { merchants }: Provisioning,
  { merchantId, contact }: { merchantId: number; contact: PageContact | undefined },
): Promise<void> {
  for (const part of Object.keys(checks) as (keyof PageContact)[]) {
    const { error } = checks[part].validate(contact?.[part]);
    if (error) throw new ProvisioningError(`The ${part} cannot be used: give ${expected[part]}.`);
  }
  if (!(await merchants.setPageContact(merchantId, contact))) {
    throw new ProvisioningError(`There is no merchant ${merchantId}.`);
  }
}
