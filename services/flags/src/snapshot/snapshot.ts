import { createHash } from 'node:crypto';
import type { FlagSnapshot } from '@switchboard/contracts';
import { type Bytes, type Encoding, encodeAll } from '@switchboard/http';
import { SOCKET_PATH } from '../live/sockets.ts';
import { type CachedText, storedFlags } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';

export interface Representation {
  body: Bytes;
  /** A strong ETag, so it is different for each encoding. */
  etag: string;
}

/** A project's snapshot, encoded and ready to send. */
export interface Snapshot {
  representations: Readonly<Record<Encoding, Representation>>;
  /** The ETags of all representations. */
  etags: readonly string[];
}

export interface Snapshots {
  /** Returns synchronously if the snapshot is in memory. */
  get(projectId: string): Snapshot | Promise<Snapshot>;
}

interface SnapshotsOptions {
  rulesets: Pick<Rulesets, 'text' | 'derived'>;
  /** The public base URL of this API. */
  publicUrl: string;
}

/** Creates snapshots of rulesets, each encoded once. */
export function createSnapshots({ rulesets, publicUrl }: SnapshotsOptions): Snapshots {
  const socketUrl = `${publicUrl.replace(/^http/, 'ws')}${SOCKET_PATH}`;
  const prepared = new WeakMap<CachedText, Snapshot | Promise<Snapshot>>();

  function prepare(projectId: string, text: CachedText): Promise<Snapshot> {
    const content: FlagSnapshot = {
      flags: storedFlags(text),
      generatedAt: text.changedAt,
      socketUrl,
    };
    const preparing = represent(JSON.stringify(content));
    prepared.set(text, preparing);
    preparing.then(
      (snapshot) => {
        prepared.set(text, snapshot);
        rulesets.derived(projectId, text, bytesOf(snapshot));
      },
      () => prepared.delete(text),
    );
    return preparing;
  }

  return {
    get(projectId) {
      const snapshotOf = (text: CachedText) => prepared.get(text) ?? prepare(projectId, text);
      const text = rulesets.text(projectId);
      return text instanceof Promise ? text.then(snapshotOf) : snapshotOf(text);
    },
  };
}

const bytesOf = ({ representations }: Snapshot): number =>
  Object.values(representations).reduce((sum, { body }) => sum + body.byteLength, 0);

async function represent(json: string): Promise<Snapshot> {
  const bodies = await encodeAll(json);
  const hash = createHash('sha256').update(json).digest('base64url').slice(0, 27);
  const representations = {
    identity: { body: bodies.identity, etag: `"${hash}"` },
    gzip: { body: bodies.gzip, etag: `"${hash}-gzip"` },
    br: { body: bodies.br, etag: `"${hash}-br"` },
  };
  return { representations, etags: Object.values(representations).map(({ etag }) => etag) };
}
