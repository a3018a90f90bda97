import { PassThrough, type Readable } from 'node:stream';
import { retry } from '@switchboard/resilience';
import { Client, S3Error } from 'minio';
import { ObjectStoreError } from './errors.ts';
import { assertKey, assertPrefix } from './keys.ts';
import { boundedTransport } from './transport.ts';
import type { ListedObject, ObjectStore } from './types.ts';
import { keysOf, type S3Keys } from './web-identity.ts';

interface IdentitySettings {
  tokenFile: string;
  roleArn?: string | undefined;
  /** The URL of the token service (STS). Default: that of AWS in the region. */
  tokenService?: string | undefined;
  /** Called for each failed request for keys, even while earlier keys are valid. */
  onFailure?: ((error: unknown) => void) | undefined;
}

export type S3Settings = {
  /** The URL of the server. Bucket names go into the path. */
  endpoint: string;
  bucket: string;
  region: string;
  /**
   * The longest time without data from the server in milliseconds. A PUT that times out is retried once. Default
   * 3000.
   */
  timeoutMs?: number;
} & ({ accessKey: string; secretKey: string } | { identity: IdentitySettings });

const MAX_ATTEMPTS = 3;
const PAGE_SIZE = 1_000;

/** Opens a bucket of an S3 server. */
export function openS3(settings: S3Settings): ObjectStore {
  const { endpoint, bucket, region, timeoutMs = 3000 } = settings;
  const { hostname, port, protocol } = new URL(endpoint);
  const transport = boundedTransport(protocol === 'https:', timeoutMs);
  const clientWith = (keys: S3Keys) =>
    new Client({
      // The client expects IPv6 addresses without brackets.
      endPoint: hostname.replace(/^\[|\]$/g, ''),
      ...(port === '' ? {} : { port: Number(port) }),
      useSSL: protocol === 'https:',
      ...keys,
      region,
      pathStyle: true,
      transport: transport.transport,
      transportAgent: transport.agent,
      // The client's own retries log to the console.
      retryOptions: { disableRetry: true },
    });
  const currentClient = 'identity' in settings ? withIdentity(settings.identity) : withKeys(settings);

  function withKeys({ accessKey, secretKey }: S3Keys): () => Client {
    const client = clientWith({ accessKey, secretKey });
    return () => client;
  }

  function withIdentity({
    tokenService = `https://sts.${region}.amazonaws.com`,
    ...identity
  }: IdentitySettings) {
    const currentKeys = keysOf({ ...identity, tokenService, timeoutMs });
    let last: { keys: S3Keys; client: Client } | undefined;
    return async () => {
      const keys = await currentKeys();
      if (last?.keys !== keys) last = { keys, client: clientWith(keys) };
      return last.client;
    };
  }

  /** Runs an idempotent call. Rejections are not retried, and time-outs only as often as allowed. */
  async function call<T>(
    what: string,
    action: (client: Client) => Promise<T>,
    { retriedTimeouts = 0 } = {},
  ): Promise<T> {
    let timeouts = 0;
    const isRetryable = (error: unknown) =>
      isTimeout(error) ? timeouts++ < retriedTimeouts : !(error instanceof S3Error);
    try {
      return await retry(async () => action(await currentClient()), {
        maxAttempts: MAX_ATTEMPTS,
        isRetryable,
      });
    } catch (cause) {
      throw new ObjectStoreError(`${what}: the object store rejected the request or did not answer`, {
        cause,
      });
    }
  }

  return {
    async put(key, bytes) {
      assertKey(key);
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      // After a time-out, a slow server has often stored the object already and responds to the second request.
      await call(`put ${key}`, (client) => client.putObject(bucket, key, body, body.length), {
        retriedTimeouts: 1,
      });
    },

    async get(key, range) {
      assertKey(key);
      return await call(`get ${key}`, async (client) => {
        try {
          const body =
            range === undefined
              ? await client.getObject(bucket, key)
              : await client.getPartialObject(bucket, key, range.start, range.end - range.start);
          const size = Number('headers' in body ? Object(body.headers)['content-length'] : Number.NaN);
          if (!Number.isSafeInteger(size)) throw new Error('the response has no Content-Length');
          return { size, body: withOwnError(body, key) };
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
        const page = await call(`list ${prefix}`, (client) => pageAfter(client, after));
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_SIZE) return;
        after = last.key;
      }

      async function pageAfter(client: Client, key: string): Promise<ListedObject[]> {
        const { objects } = await client.listObjectsV2Query(bucket, prefix, '', '', PAGE_SIZE, key);
        return objects.flatMap(({ name, size, lastModified }) =>
          name === undefined ? [] : [{ key: name, size: size ?? 0, modifiedAt: lastModified ?? new Date(0) }],
        );
      }
    },

    async delete(key) {
      assertKey(key);
      await call(`delete ${key}`, (client) => client.removeObject(bucket, key));
    },

    async ping() {
      if (!(await call('ping', (client) => client.bucketExists(bucket)))) {
        throw new ObjectStoreError(`bucket ${bucket} does not exist`);
      }
    },

    close: () => transport.close(),
  };
}

/** Returns a stream of the same bytes that fails with ObjectStoreError. The connection's error becomes its cause. */
function withOwnError(body: Readable, key: string): Readable {
  const relayed = new PassThrough();
  body.once('error', (cause) =>
    relayed.destroy(new ObjectStoreError(`get ${key}: the object store closed the connection`, { cause })),
  );
  relayed.once('close', () => body.destroy());
  return body.pipe(relayed);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
}
