/** A message does not fit the profile. The error names the place and never contains the value that was read there. */
export class CodecError extends Error {
  override readonly name = 'CodecError';

  constructor(
    readonly problem: string,
    /** Byte at which the error was noticed. */
    readonly position: number,
    /** Field that was being read or written: a number, `mti`, `bitmap`, `tpdu` or `end`. */
    readonly field: number | 'mti' | 'bitmap' | 'tpdu' | 'end',
  ) {
    super(`${typeof field === 'number' ? `field ${field}` : field} at byte ${position}: ${problem}`);
  }
}
