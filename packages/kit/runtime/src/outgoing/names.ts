import { promises as dns, type LookupAddress } from 'node:dns';

/** Resolves a name to all its addresses. Rejects with the errors of `node:dns`. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Resolves names like other programs on this machine. Node uses one of a process's few threads for each look-up. */
export const systemNames: ResolveName = (hostname) => dns.lookup(hostname, { all: true });

/**
 * Returns a resolver for names from untrusted sources, since their name servers may never answer. It queries DNS
 * without a thread and so ignores the hosts file and search domains. The system resolves names without a dot, since
 * third parties cannot register them.
 *
 * @param servers `address:port`. Default: those of this machine.
 */
export function strangersNames(servers?: readonly string[]): ResolveName {
  return async (hostname) => {
    if (!hostname.includes('.')) return systemNames(hostname);
    // A new resolver each time picks up changes of the machine's name servers.
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
    ]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}
