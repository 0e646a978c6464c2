export interface Refusal {
  /** Reads on after the field's name: `is cut short`. */
  readonly problem: string;
}

/** What a reader of one format finds: sizes in pixels and the cleaned file, or what is wrong with it. */
export type ReadImage = { readonly width: number; readonly height: number; readonly bytes: Uint8Array } | Refusal;

export interface Format {
  /** True when the file starts as one of this format does. */
  recognizes(bytes: Uint8Array): boolean;
  read(bytes: Uint8Array): ReadImage;
}

export const cutShort: Refusal = { problem: 'is cut short' };
export const dataBehind: Refusal = { problem: 'has data behind the end of the image' };
export const animated: Refusal = { problem: 'must not be animated' };
