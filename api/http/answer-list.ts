/** Lists that are a JSON array: information about the page is in headers (docs/decisions.md, "Shapes, lists and limits"). */

import { type Answer, answer } from './define-endpoint.js';
import type { PageQuery } from './paging.js';

/** For `responseHeaders` of an endpoint that answers such a list. */
export const listHeaders = {
  'X-Total-Count': { description: 'Items in the whole list.', schema: { type: 'integer' } },
  Link: {
    description: 'Other pages of this list, as RFC 8288 links: first, prev, next, last.',
    schema: { type: 'string' },
  },
} as const;

interface List extends PageQuery {
  readonly items: readonly unknown[];
  /** Items in the whole list. */
  readonly total: number;
}

/**
 * Answers a page of a list.
 * @param url address of the list, without query.
 * @param filters the other query parameters, as the caller sent them; undefined ones are left out.
 */
export function answerList(
  url: string,
  list: List,
  filters: Readonly<Record<string, string | undefined>> = {},
): Answer {
  const { items, total, page, size } = list;
  const last = Math.max(1, Math.ceil(total / size));
  const link = (relation: string, at: number) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
    query.set('page', String(at));
    query.set('size', String(size));
    return `<${url}?${query}>; rel="${relation}"`;
  };
  const links = [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ];
  return answer(items, { headers: { 'X-Total-Count': String(total), Link: links.join(', ') } });
}
