import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

/** The keys that sign requests. */
export interface S3Keys {
  accessKey: string;
  secretKey: string;
  sessionToken?: string;
}

/** The identity that a platform such as Kubernetes assigns to a process. */
export interface WebIdentity {
  /** The path of the token file. The platform replaces the file before the token expires. */
  tokenFile: string;
  /** The role to assume. Optional for token services other than that of AWS. */
  roleArn?: string | undefined;
  /** The URL of the token service (STS). */
  tokenService: string;
  /** The time limit of a request to the token service in milliseconds. */
  timeoutMs: number;
  /** Called for each failed request to the token service, even while earlier keys are valid. */
  onFailure?: ((error: unknown) => void) | undefined;
}

/** The share of their lifetime after which keys are renewed. The rest is left for retries. */
const RENEWED_AFTER = 0.75;
/** The pause between requests to the token service after a failure. */
const PAUSE_MS = 1_000;
const MAX_ANSWER_BYTES = 65_536;

const text = z.string().min(1);
const granted = z.object({
  AssumeRoleWithWebIdentityResponse: z.object({
    AssumeRoleWithWebIdentityResult: z.object({
      Credentials: z.object({
        AccessKeyId: text,
        SecretAccessKey: text,
        SessionToken: text,
        Expiration: text.transform((time) => Date.parse(time)).pipe(z.number()),
      }),
    }),
  }),
});
const refused = z.object({ ErrorResponse: z.object({ Error: z.object({ Code: text }) }) });
const xml = new XMLParser({ parseTagValue: false });

interface Grant {
  keys: S3Keys;
  /** When to renew the keys, in the time of `elapsed`. */
  renewAt: number;
  expiresAt: number;
}

/**
 * Returns a function that resolves with valid keys of the identity. Keys are renewed in the background before they
 * expire, and the token is read at every renewal. Rejects if there are no valid keys and no new ones can be obtained.
 */
export function keysOf(
  identity: WebIdentity,
  /** A monotonic clock in milliseconds, so that clock changes do not affect when keys expire. */
  elapsed: () => number = () => performance.now(),
): () => Promise<S3Keys> {
  let held: Grant | undefined;
  let renewal: Promise<S3Keys> | undefined;

  async function renew(): Promise<S3Keys> {
    try {
      const askedAt = elapsed();
      const { keys, lifeMs } = await assumeRole(identity);
      held = { keys, renewAt: askedAt + lifeMs * RENEWED_AFTER, expiresAt: askedAt + lifeMs };
      renewal = undefined;
      return held.keys;
    } catch (error) {
      identity.onFailure?.(error);
      setTimeout(() => {
        renewal = undefined;
      }, PAUSE_MS).unref();
      throw error;
    }
  }

  return async () => {
    const now = elapsed();
    if (held !== undefined && now < held.renewAt) return held.keys;
    renewal ??= renew();
    if (held === undefined || now >= held.expiresAt) return await renewal;
    renewal.catch(() => undefined);
    return held.keys;
  };
}

async function assumeRole({ tokenFile, roleArn, tokenService, timeoutMs }: WebIdentity) {
  const askedAt = Date.now();
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleSessionName: `switchboard-${hostname()}`.replace(/[^\w+=,.@-]/g, '-').slice(0, 64),
    ...(roleArn !== undefined && { RoleArn: roleArn }),
    WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(tokenService, { method: 'POST', body, signal, redirect: 'error' });
  const answer: unknown = xml.parse(await readBounded(response));
  if (!response.ok) {
    const { data } = refused.safeParse(answer);
    const code = data?.ErrorResponse.Error.Code ?? 'no reason given';
    throw new Error(`the token service answered ${response.status}: ${code.slice(0, 100)}`);
  }
  const { Credentials } =
    granted.parse(answer).AssumeRoleWithWebIdentityResponse.AssumeRoleWithWebIdentityResult;
  const { AccessKeyId: accessKey, SecretAccessKey: secretKey, SessionToken: sessionToken } = Credentials;
  return {
    keys: { accessKey, secretKey, sessionToken },
    lifeMs: Credentials.Expiration - askedAt,
  };
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES)
      throw new Error(`the token service answered more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
