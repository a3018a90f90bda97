import { createHash } from 'node:crypto';
import type { FlagSnapshot } from '@switchboard/contracts';
import { SOCKET_PATH } from '../live/socket.ts';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { type Bytes, type Encoding, encodeAll } from './encodings.ts';

export interface Representation {
  body: Bytes;
  /** Strong, so another one for each encoding. */
  etag: string;
}

/** A project's snapshot, ready to be sent. */
export interface Snapshot {
  representations: Readonly<Record<Encoding, Representation>>;
  /** Whether an entity tag is one of this snapshot's, whatever the encoding. */
  hasTag(etag: string): boolean;
}

export interface Snapshots {
  get(projectId: string): Promise<Snapshot>;
}

interface SnapshotOptions {
  rulesets: Pick<Rulesets, 'get'>;
  /** Address under which clients reach this API. */
  publicUrl: string;
}

/** Snapshots of rulesets, each made once. */
export function createSnapshots({ rulesets, publicUrl }: SnapshotOptions): Snapshots {
  const socketUrl = `${publicUrl.replace(/^http/, 'ws')}${SOCKET_PATH}`;
  const made = new WeakMap<Ruleset, Promise<Snapshot>>();

  function prepare(ruleset: Ruleset): Promise<Snapshot> {
    const { changedAt, flags } = ruleset;
    const content: FlagSnapshot = { flags: [...flags], generatedAt: changedAt, socketUrl };
    const preparing = represent(JSON.stringify(content));
    made.set(ruleset, preparing);
    preparing.catch(() => made.delete(ruleset));
    return preparing;
  }

  return {
    async get(projectId) {
      const ruleset = await rulesets.get(projectId);
      return made.get(ruleset) ?? prepare(ruleset);
    },
  };
}

async function represent(json: string): Promise<Snapshot> {
  const bodies = await encodeAll(json);
  const hash = createHash('sha256').update(json).digest('base64url').slice(0, 27);
  const representations = {
    identity: { body: bodies.identity, etag: `"${hash}"` },
    gzip: { body: bodies.gzip, etag: `"${hash}-gzip"` },
    br: { body: bodies.br, etag: `"${hash}-br"` },
  };
  const tags = new Set(Object.values(representations).map(({ etag }) => etag));
  return { representations, hasTag: (etag) => tags.has(etag) };
}
