import { limits } from '../../../config/limits.js';

export interface Refusal {
  /** Worded to follow the field's name: `is cut short`. */
  readonly problem: string;
}

/** Result of reading one format: sizes in pixels and the cleaned file, or a problem. */
export type ReadImage = { readonly width: number; readonly height: number; readonly bytes: Uint8Array } | Refusal;

export interface Format {
  /** Whether the file starts like a file of this format. */
  recognizes(bytes: Uint8Array): boolean;
  read(bytes: Uint8Array): ReadImage;
}

export const cutShort: Refusal = { problem: 'is cut short' };
export const dataBehind: Refusal = { problem: 'has data behind the end of the image' };
export const tooManyParts: Refusal = { problem: `must have at most ${limits.logoPartsMax} chunks or segments` };
export const animated: Refusal = { problem: 'must not be animated' };
