/** Meaning of the four digits of a message type. */
const classes: Readonly<Record<string, string>> = {
  1: 'Authorization',
  2: 'Financial',
  3: 'File action',
  4: 'Reversal',
  5: 'Reconciliation',
  6: 'Administrative',
  7: 'Fee collection',
  8: 'Network management',
};

const functions: Readonly<Record<string, string>> = {
  0: 'request',
  1: 'request response',
  2: 'advice',
  3: 'advice response',
  4: 'notification',
};

const versions: Readonly<Record<string, string>> = { 0: '1987', 1: '1993', 2: '2003' };

/** Describes a message type: `0421` is `Reversal advice, repeat (1987)`. */
export function describeMti(mti: string): string {
  const [version = '', kind = '', purpose = '', origin = ''] = mti;
  const repeat = ['1', '3', '5'].includes(origin) ? ', repeat' : '';
  const words = `${classes[kind] ?? `class ${kind}`} ${functions[purpose] ?? `function ${purpose}`}`;
  return `${words}${repeat} (${versions[version] ?? `version ${version}`})`;
}
