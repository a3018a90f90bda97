import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../settings/config.ts';
import { completeS3, objectStoreSettings } from '../settings/object-store.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openObjects } from './object-store.ts';

it('uses an S3 server without keys with the token of the process, and counts and logs a refusal of the token', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { WebIdentityToken, RoleArn } = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push(`${WebIdentityToken} for ${RoleArn}`);
    response.writeHead(400).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-identity-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'token'), 'of-the-pod');

  const url = `http://127.0.0.1:${Object(server.address()).port}`;
  const config = parseConfig(z.object(objectStoreSettings).check(completeS3), {
    S3_ENDPOINT: url,
    S3_BUCKET: 'archive',
    AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/archive',
    AWS_ENDPOINT_URL_STS: url,
  });
  const failures: string[] = [];
  const logger = {
    failed: (task: string, error: unknown) => void failures.push(`${task}: ${String(error)}`),
  };
  const objects = openObjects({ config, logger, metrics: createMetrics('test') });
  onTestFinished(() => objects?.close());
  await expect(objects?.ping()).rejects.toMatchObject({
    cause: { message: 'the token service answered 400: AccessDenied' },
  });
  expect(asked).toEqual(['of-the-pod for arn:aws:iam::123456789012:role/archive']);
  expect(failures).toEqual([
    'renew keys of the object store: Error: the token service answered 400: AccessDenied',
  ]);
});
