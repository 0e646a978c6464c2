import type { PaymentLink } from '../domain/payment-link/payment-link.js';
import type { PaymentLinkRepository } from '../store/payment-link.repository.js';

/**
 * Draws the address of a link as a QR code and stores the picture. The same address always gives the same picture: drawing it twice, or
 * in two processes at once, changes nothing.
 */
export async function drawLink(
  { links }: { readonly links: Pick<PaymentLinkRepository, 'savePicture'> },
  { _id }: Pick<PaymentLink, '_id'>,
  address: string,
): Promise<string> {
  // The API seldom needs this package, so it is loaded only here.
  const { default: QRCode } = await import('qrcode');
  const svg = await QRCode.toString(address, { type: 'svg', errorCorrectionLevel: 'M' });
  await links.savePicture(_id, address, svg);
  return svg;
}
