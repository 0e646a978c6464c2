/** Name resolution for outbound calls: bounded in time, and never on the thread pool that one slow name server could fill. */
import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a host name. Rejects when there is none. */
export type ResolveName = (host: string) => Promise<readonly string[]>;

/**
 * Asks the configured name servers directly. With `hostsFile`, names that they do not know are looked up the system's way
 * (`localhost`, /etc/hosts): for receivers on the machine of a developer.
 */
export function createResolver(options: { readonly timeoutMs: number; readonly hostsFile: boolean }): ResolveName {
  return async (host) => {
    const resolver = new Resolver({ timeout: options.timeoutMs, tries: 1 });
    if (options.hostsFile) {
      const known = await lookup(host, { all: true }).catch(() => []);
      if (known.length > 0) return known.map(({ address }) => address);
    }
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}
