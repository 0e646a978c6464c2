/** The calls of the API that a page of docs shows with curl: a test that makes them finds out when the page is wrong. */

/** The path with `…` for each id. */
export const shapeOf = (path: string) => path.replace(/\/(?:pay_[^/]+|\d+|\$PAYMENT_ID)(?=\/|$)/g, '/…');

export interface PageCall {
  /** As `shapeOf` writes it. */
  readonly path: string;
  /** Absent: a call without one. */
  readonly body?: unknown;
}

export const callsOf = (page: string): PageCall[] =>
  [...page.matchAll(/"\$BASE_URL(\/[^"]+)"(?: -d '([^']+)')?/g)].map(([, path = '', body]) => ({
    path: shapeOf(path),
    ...(body !== undefined && { body: JSON.parse(body) }),
  }));
