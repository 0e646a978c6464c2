/** Fills in forms of pages as a browser would, without scripts; and the cards that the sandbox's issuers authenticate. */
export type Choice = 'approve' | 'fail' | 'cancel' | 'abandon';

export interface Form {
  readonly action: string;
  readonly fields: Record<string, string>;
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** Reads the only form of a page. @throws when there is none */
export function formOf(html: string): Form {
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
  if (!action) throw new Error(`no form in: ${html.slice(0, 400)}`);
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: unescaped(action),
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)])),
  };
}

export const visit = (url: string) => fetch(url, { redirect: 'manual' });
export const submit = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

export const cards = {
  challenge: '4000002500003155',
  frictionless: '4000000000100141',
  methodThenChallenge: '4000002760003184',
  methodSilent: '4000000000003220',
  lookupError: '4000008400001280',
  thenInsufficientFunds: '4000008260003178',
  thenGenericDecline: '4000008400001629',
} as const;
