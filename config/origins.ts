/** Lists of origins in the form that a content security policy takes. */

const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;

/** Accepts only scheme, host and port: any other text would become part of the policy. @returns a problem, or the list */
export function parseOrigins(text: string): readonly string[] | string {
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every((origin) => ORIGIN.test(origin))
    ? origins
    : 'must be origins, comma separated: scheme, host and if need be port, without a path';
}
