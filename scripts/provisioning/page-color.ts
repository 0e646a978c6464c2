import { type Provisioning, ProvisioningError } from './provisioning.js';

/**
 * Sets the colour of the buttons on a merchant's hosted pages. Any colour will do: the pages work out which text is legible on it,
 * and its contrast with a light and a dark background.
 * @param color for example `#b4451f`; undefined restores the default
 * @returns the colour as it is stored
 * @throws {ProvisioningError} when it is not a colour, or there is no such merchant
 */
export async function setPageColor(
  { merchants }: Provisioning,
  { merchantId, color }: { merchantId: number; color: string | undefined },
): Promise<string | undefined> {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(color ?? '') ?? [];
  if (color !== undefined && digits === undefined) {
    throw new ProvisioningError(`"${color}" is no colour: give six hexadecimal digits, for example b4451f.`);
  }
  const stored = digits?.toLowerCase();
  if (!(await merchants.setPageColor(merchantId, stored))) {
    throw new ProvisioningError(`There is no merchant ${merchantId}.`);
  }
  return stored;
}
