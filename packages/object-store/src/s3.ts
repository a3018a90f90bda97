import { setTimeout as sleep } from 'node:timers/promises';
import { Client, S3Error } from 'minio';
import { ObjectStoreError } from './errors.ts';
import { assertKey, assertPrefix } from './keys.ts';
import { boundedTransport } from './transport.ts';
import type { ListedObject, ObjectStore } from './types.ts';

interface S3Settings {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
  timeoutMs?: number;
}

const attempts = 3;
const firstPauseMs = 50;

/** Objects in a bucket of an S3 server. */
export function openS3({
  endpoint,
  accessKey,
  secretKey,
  bucket,
  region,
  timeoutMs = 3000,
}: S3Settings): ObjectStore {
  const { hostname, port, protocol } = new URL(endpoint);
  const transport = boundedTransport(protocol === 'https:', timeoutMs);
  const client = new Client({
    endPoint: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    useSSL: protocol === 'https:',
    accessKey,
    secretKey,
    region,
    pathStyle: true,
    transport: transport.transport,
    transportAgent: transport.agent,
    // Its own writes to the console.
    retryOptions: { disableRetry: true },
  });

  /** Every call here may be made twice. What the server refuses, and a silent server, is not asked again. */
  async function call<T>(what: string, action: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await action();
      } catch (cause) {
        if (attempt >= attempts || cause instanceof S3Error || isTimeout(cause)) {
          throw new ObjectStoreError(`${what}: the object store refused or did not answer`, { cause });
        }
        await sleep(firstPauseMs * 4 ** (attempt - 1) * (0.5 + Math.random()));
      }
    }
  }

  return {
    async put(key, bytes) {
      assertKey(key);
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await call(`put ${key}`, () => client.putObject(bucket, key, body, body.length));
    },

    async get(key) {
      assertKey(key);
      return await call(`get ${key}`, async () => {
        try {
          const body = await client.getObject(bucket, key);
          const size = Number('headers' in body ? Object(body.headers)['content-length'] : Number.NaN);
          if (!Number.isSafeInteger(size)) throw new Error('the server named no Content-Length');
          return { size, body };
        } catch (error) {
          if (error instanceof S3Error && (error.code === 'NoSuchKey' || error.code === 'NotFound')) {
            return undefined;
          }
          throw error;
        }
      });
    },

    async *list(prefix) {
      assertPrefix(prefix);
      let after = '';
      for (;;) {
        const page = await call(`list ${prefix}`, () => pageAfter(after));
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return;
        after = last.key;
      }

      async function pageAfter(key: string): Promise<ListedObject[]> {
        const { objects } = await client.listObjectsV2Query(bucket, prefix, '', '', pageSize, key);
        return objects.flatMap(({ name, size, lastModified }) =>
          name === undefined ? [] : [{ key: name, size: size ?? 0, modifiedAt: lastModified ?? new Date(0) }],
        );
      }
    },

    async delete(key) {
      assertKey(key);
      await call(`delete ${key}`, () => client.removeObject(bucket, key));
    },

    async ping() {
      if (!(await call('ping', () => client.bucketExists(bucket)))) {
        throw new ObjectStoreError(`there is no bucket ${bucket}`);
      }
    },

    close: () => transport.close(),
  };
}

const pageSize = 1000;

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
}
