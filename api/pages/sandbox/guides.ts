/** The guides of `docs/` as plain text, for users of the sandbox who do not have the repository open. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Titles of the guides, by file name without its extension. */
export const guides: Readonly<Record<string, string>> = {
  integration: 'Integrate',
  'hosted-checkout': 'Hosted checkout',
  'save-a-card': 'Save a card',
  'charging-without-the-payer': 'Charge without the payer',
  'payment-links': 'Payment links',
  'qr-payments': 'QR payments',
  threeds: '3D Secure',
  wallets: 'Wallets',
  'test-cards': 'Test cards',
  api: 'The API',
  errors: 'Errors',
};

/** @returns undefined when the guide does not exist: `npm start` runs in the repository, but an image may have no guides. */
export async function guide(name: string): Promise<string | undefined> {
  if (!Object.hasOwn(guides, name)) return undefined;
  try {
    return await readFile(join('docs', `${name}.md`), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
