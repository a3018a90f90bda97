import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import type { ObjectStoreConfig } from '../settings/object-store.ts';
import { measureCalls } from '../telemetry/calls.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

interface ObjectsContext {
  config: ObjectStoreConfig;
  logger: Pick<Logger, 'failed'>;
  metrics: Metrics;
  tracing?: Tracing | undefined;
}

/**
 * The time without data after which a request fails. Requests that people wait for fail early. Work in the background
 * would only start again.
 */
const TIMEOUTS_MS = { people: 3_000, background: 30_000 };

/**
 * Opens the object store of the settings; returns undefined if they name none. A store for background work waits
 * longer for responses.
 */
export function openObjects(
  { config, logger, metrics, tracing }: ObjectsContext,
  use: 'people' | 'background' = 'people',
): ObjectStore | undefined {
  const timeoutMs = TIMEOUTS_MS[use];
  const measure = measureCalls({ metrics, tracing, dependency: 'object store' });
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region, OBJECTS_FOLDER: folder } = config;
  const { S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = config;
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = config;
  if (endpoint && bucket) {
    const place = { endpoint, bucket, region, timeoutMs };
    if (accessKey && secretKey) return openObjectStore({ ...place, accessKey, secretKey }, measure);
    if (tokenFile) {
      const tokenService = config.AWS_ENDPOINT_URL_STS;
      const onFailure = (error: unknown) => logger.failed('renew keys of the object store', error);
      return openObjectStore(
        { ...place, identity: { tokenFile, roleArn, tokenService, onFailure } },
        measure,
      );
    }
  }
  return folder === undefined ? undefined : openObjectStore({ folder }, measure);
}
