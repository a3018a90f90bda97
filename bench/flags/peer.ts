import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FlagEntry } from '@switchboard/contracts';
import { freePort, type Program, spawnProgram } from '@switchboard/testkit';
import { benchFlags, traitsOf } from './ruleset.ts';

type Clause = NonNullable<FlagEntry['targeting']>[number];

export interface Peer {
  program: Program;
  stop(): Promise<void>;
}

/**
 * Starts GO Feature Flag's relay proxy with the flags of the bench in a file. It stores no user state, so requests
 * carry the traits.
 */
export async function startPeer(binary: string): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-bench-peer-'));
  const [flags, config] = [join(folder, 'flags.json'), join(folder, 'config.json')];
  const port = await freePort();
  await writeFile(
    flags,
    JSON.stringify(Object.fromEntries(benchFlags().map((flag) => [flag.key, peerFlag(flag)]))),
  );
  await writeFile(
    config,
    JSON.stringify({
      listen: port,
      logLevel: 'error',
      hideBanner: true,
      fileFormat: 'json',
      retriever: { kind: 'file', path: flags },
    }),
  );
  const program = await spawnProgram({
    command: [resolve(binary), '--config', config],
    port,
    ready: '/health',
    output: 'inherit',
  });
  return {
    program,
    async stop() {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a request for all flags of a person. */
export function peerRequest(distinctId: string, user: number) {
  const custom = { ...traitsOf(user), company: { seats: (user % 500) % 50 } };
  const body = JSON.stringify({ user: { key: distinctId, custom } });
  return { path: '/v1/allflags', body, headers: { 'Content-Type': 'application/json' } };
}

function peerFlag({ enabled, rolloutPercentage, targeting, variations }: FlagEntry) {
  const served = variations ?? [{ key: 'on', value: true }];
  const percentage = {
    ...Object.fromEntries(served.map(({ key }) => [key, rolloutPercentage / served.length])),
    off: 100 - rolloutPercentage,
  };
  return {
    variations: {
      ...Object.fromEntries(served.map(({ key, value }) => [key, value])),
      off: variations === undefined ? false : '',
    },
    disable: !enabled,
    ...(targeting === undefined
      ? { defaultRule: { percentage } }
      : {
          targeting: [{ query: targeting.map(queryOf).join(' and '), percentage }],
          defaultRule: { variation: 'off' },
        }),
  };
}

/** Converts a clause to the peer's language. It has no cohorts, so the trait behind a cohort replaces it. */
function queryOf({ attribute, op, value }: Clause): string {
  switch (op) {
    case 'in':
      return `${attribute} in ${JSON.stringify(value)}`;
    case 'not_in':
      return `not (${attribute} in ${JSON.stringify(value)})`;
    case 'in_cohort':
      return 'betaTester eq true';
    case 'contains':
      return `${attribute} co ${JSON.stringify(value)}`;
    case 'gte':
      // Versions have no quotes.
      return `${attribute.replace('group.', '')} ge ${value}`;
    case 'lt':
      return `${attribute} lt ${JSON.stringify(value)}`;
    default:
      throw new Error(`the peer has nothing for ${op}`);
  }
}
