import { promises as dns, type LookupAddress } from 'node:dns';

/** Resolves a name to all its addresses. Rejects with the errors of `node:dns`. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** As programs on this machine do. Node uses a thread for each look-up, of which a process has few. */
export const systemNames: ResolveName = (hostname) => dns.lookup(hostname, { all: true });

/**
 * For names that strangers choose, whose name servers may never answer: DNS is asked without a thread. That leaves out
 * the hosts file and search domains, so names without a dot, which no stranger can register, are the system's.
 *
 * @param servers `address:port`. Default: those of this machine.
 */
export function strangersNames(servers?: readonly string[]): ResolveName {
  return async (hostname) => {
    if (!hostname.includes('.')) return systemNames(hostname);
    // A new one each time follows changes of the machine's name servers.
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
