/** Groups that the interactive-testing limits distinguish (docs/api.md#limits); `configuration`: changes in none of the other four. */
const rateGroups = ['reads', 'payments', 'sessions', 'customers', 'configuration'] as const;
export type RateGroup = (typeof rateGroups)[number];

/** Group of a change, by the first tag that is listed. */
const groupOfTag: Readonly<Record<string, RateGroup>> = {
  payments: 'payments',
  tokenizations: 'payments',
  sessions: 'sessions',
  customers: 'customers',
};

/** Derives the group, so that no endpoint has to declare it: GET is a read, a change belongs to the group of its tag. */
export function rateGroupOf({
  method,
  tags,
}: {
  readonly method: string;
  readonly tags: readonly string[];
}): RateGroup {
  if (method === 'get') return 'reads';
  for (const tag of tags) {
    const group = groupOfTag[tag.toLowerCase()];
    if (group) return group;
  }
  return 'configuration';
}
