/** Reads the calls of the API that a page of docs shows with curl: a test that makes these calls notices when the page is wrong. */

/** Returns the path with `…` for each id. */
export const shapeOf = (path: string) => path.replace(/\/(?:pay_[^/]+|\d+|\$PAYMENT_ID)(?=\/|$)/g, '/…');

export interface PageCall {
  /** In the form of `shapeOf`. */
  readonly path: string;
  /** Absent for a call without a body. */
  readonly body?: unknown;
}

export const callsOf = (page: string): PageCall[] =>
  [...page.matchAll(/"\$BASE_URL(\/[^"]+)"(?: -d '([^']+)')?/g)].map(([, path = '', body]) => ({
    path: shapeOf(path),
    ...(body !== undefined && { body: JSON.parse(body) }),
  }));
