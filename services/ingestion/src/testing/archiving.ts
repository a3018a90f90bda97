import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ReplayManifest } from '@switchboard/contracts';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { accessTokens, eventually, type S3Access } from '@switchboard/testkit';
import { expect } from 'vitest';
import { KEY, type LogSettings, PROJECT, startIngestion, type TestIngestion } from '../test-service.ts';

/** For tests: the service with its archive of replays, as its clients and operators use it. */

/** The recording that the npm package rrweb-player 2.1.7 brings (see recording.LICENSE): 272 events of one page. */
export async function recordedEvents(): Promise<Record<string, unknown>[]> {
  const packed = await readFile(new URL('recording.json.gz', import.meta.url));
  return JSON.parse(gunzipSync(packed).toString());
}

/** A chunk as a client sends it. */
export function chunkOf(session: string, seq: number, events: unknown[], more: object = {}) {
  return {
    distinct_id: 'ada',
    events,
    masked: true,
    schema_version: 1,
    sdk: 'web',
    seq,
    session_id: session,
    timestamp: '2026-03-01T09:30:00.000Z',
    ...more,
  };
}

export const newSession = () => `session-${randomUUID()}`;

/** Cuts a list into so many pieces, none empty. */
export function cut<T>(list: readonly T[], pieces: number): T[][] {
  const size = Math.ceil(list.length / pieces);
  return Array.from({ length: pieces }, (_, index) => list.slice(index * size, (index + 1) * size)).filter(
    (piece) => piece.length > 0,
  );
}

export interface Archiving {
  ingestion: TestIngestion;
  objects: ObjectStore;
  /** Posts a chunk and expects 202. */
  send(chunk: object): Promise<void>;
  manage(method: string, path: string, token?: string): Promise<Response>;
  /** The path of a session below the project. */
  path(session: string, rest?: string): string;
  manifest(session: string): Promise<ReplayManifest>;
  events(session: string): Promise<unknown>;
  /** Waits until the manifest of a session has these properties. */
  until(session: string, expected: Partial<ReplayManifest>): Promise<ReplayManifest>;
  mint(claims: { sub: string; permissions?: string[] }): Promise<string>;
  stop(): Promise<void>;
}

interface Settings {
  log: LogSettings;
  /** A folder of its own when not given. */
  s3?: S3Access;
  overrides?: Record<string, string>;
}

export async function startArchiving({ log, s3, overrides = {} }: Settings): Promise<Archiving> {
  const tokens = await accessTokens();
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
  const objects = openObjectStore(s3 ?? { folder });
  const ingestion = await startIngestion(log, {
    ROLES: 'http,replay-archive',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    ...(s3 === undefined
      ? { OBJECTS_FOLDER: folder }
      : {
          S3_ENDPOINT: s3.endpoint,
          S3_ACCESS_KEY: s3.accessKey,
          S3_SECRET_KEY: s3.secretKey,
          S3_BUCKET: s3.bucket,
          S3_REGION: s3.region,
        }),
    ...overrides,
  });
  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });

  const manage = (method: string, path: string, token = operator) =>
    fetch(`${ingestion.url}/management/v1/projects/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
    });
  const path = (session: string, rest = '') => `${PROJECT}/replays/${encodeURIComponent(session)}${rest}`;

  async function manifest(session: string): Promise<ReplayManifest> {
    const answer = await manage('GET', path(session));
    expect(answer.status).toBe(200);
    return (await answer.json()) as ReplayManifest;
  }

  return {
    ingestion,
    objects,
    manage,
    path,
    manifest,
    async send(chunk) {
      const answer = await ingestion.post('/v1/replay', chunk, { Authorization: `Bearer ${KEY}` });
      expect(answer.status).toBe(202);
    },
    async events(session) {
      const answer = await manage('GET', path(session, '/events'));
      expect(answer.status).toBe(200);
      return answer.json();
    },
    until: (session, expected) =>
      eventually(
        async () => {
          const found = await manifest(session);
          expect(found).toMatchObject(expected);
          return found;
        },
        { withinMs: 30_000 },
      ),
    mint: (claims) => tokens.mint(claims),
    async stop() {
      await ingestion.stop();
      await tokens.stop();
      objects.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
