import type { Setting } from './setting.js';

/** The form of a value, and what is wrong with any other: a sentence that begins with the variable. */
type Form = readonly [pattern: RegExp, sentence: string];

/** Returns a sentence for each setting whose value has another form than it must have. A setting without a value has none. */
export function formProblems<N extends string>(
  config: { readonly [Name in NoInfer<N>]?: string | undefined },
  settings: Readonly<Record<NoInfer<N>, Pick<Setting, 'env'>>>,
  forms: Readonly<Record<N, Form>>,
): string[] {
  return (Object.entries(forms) as [N, Form][]).flatMap(([name, [pattern, sentence]]) => {
    const value = config[name];
    return value === undefined || pattern.test(value) ? [] : [`${settings[name].env} ${sentence}`];
  });
}
