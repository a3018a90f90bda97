import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { backing, backingProgram } from './backing.ts';
import { startContainer, wantsContainers } from './container.ts';

export interface S3Access {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/** An S3 server for one test, which can pause, kill and restart it. */
export interface S3Server extends S3Access {
  /** Sends SIGSTOP: the server accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL. The objects stay. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Creates a user with this access key, and sets the policy of the bucket. Returns the user's access. */
  addUser(user: string, policy: string): Promise<S3Access>;
  /** Stops it and removes the objects. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
const CREDENTIALS = { accessKey: 'switchboard', secretKey: 'switchboard-secret', region: 'eu-central-1' };

/**
 * Starts the versitygw that `deploy/backings/install.sh` installed. Returns undefined if it is not installed; with
 * REQUIRE_BACKINGS=1 that is an error.
 */
export async function startS3(secretKey = CREDENTIALS.secretKey): Promise<S3Server | undefined> {
  const program = backingProgram('versitygw', 's3');
  if (program === undefined) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-s3-'));
  const bucket = 'switchboard';
  const [objects, users] = [join(directory, 'objects'), join(directory, 'users')];
  // Each bucket of this server is a folder.
  await mkdir(join(objects, bucket), { recursive: true });
  await mkdir(users);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { accessKey, region } = CREDENTIALS;
  const keys = ['--access', accessKey, '--secret', secretKey, '--region', region];
  const server = await spawnProgram({
    command: [
      program,
      ...[...keys, '--port', `127.0.0.1:${port}`, '--health', '/health'],
      ...['--iam-dir', users, 'posix', objects],
    ],
    scratch: directory,
    port,
    ready: '/health',
  });
  return {
    endpoint,
    bucket,
    ...CREDENTIALS,
    secretKey,
    pause: () => server.signal('SIGSTOP'),
    resume: () => server.signal('SIGCONT'),
    kill: async () => void (await server.kill()),
    restart: () => server.restart(),
    async addUser(user, policy) {
      const own = { accessKey: user, secretKey: randomUUID() };
      const admin = ['admin', '--access', accessKey, '--secret', secretKey, '--region', region];
      const create = ['create-user', '--access', user, '--secret', own.secretKey, '--role', 'user'];
      await run(program, [...admin, '--endpoint-url', endpoint, ...create]);
      await run('curl', [
        ...['--silent', '--show-error', '--fail-with-body', '--request', 'PUT', '--data', policy],
        ...['--aws-sigv4', `aws:amz:${region}:s3`, '--user', `${accessKey}:${secretKey}`],
        ...['--header', `x-amz-content-sha256: ${hash('sha256', policy, 'hex')}`],
        `${endpoint}/${bucket}?policy=`,
      ]);
      return { endpoint, bucket, region, ...own };
    },
    async stop() {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the settings with which services use the bucket. */
export function s3Env({ endpoint, accessKey, secretKey, bucket, region }: S3Access) {
  return {
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    S3_BUCKET: bucket,
    S3_REGION: region,
  };
}

/**
 * Returns the bucket that tests share, each with its own prefixes: S3_ENDPOINT, or else a server that is started for
 * this process, on request in a container.
 */
export function s3Access(): Promise<S3Access | undefined> {
  shared ??= find();
  return shared;
}

let shared: Promise<S3Access | undefined> | undefined;

async function find(): Promise<S3Access | undefined> {
  const endpoint = process.env['S3_ENDPOINT'];
  if (!endpoint) return wantsContainers() ? s3Container() : startS3();
  const accessKey = backing('S3_ACCESS_KEY');
  const secretKey = backing('S3_SECRET_KEY');
  const bucket = backing('S3_BUCKET');
  if (!accessKey || !secretKey || !bucket) return undefined;
  return { endpoint, accessKey, secretKey, bucket, region: process.env['S3_REGION'] ?? CREDENTIALS.region };
}

async function s3Container(): Promise<S3Access> {
  const bucket = 'switchboard';
  const port = await startContainer({
    image: 'versity/versitygw:v1.8.0',
    port: 7070,
    env: () => ({
      ROOT_ACCESS_KEY: CREDENTIALS.accessKey,
      ROOT_SECRET_KEY: CREDENTIALS.secretKey,
      VGW_REGION: CREDENTIALS.region,
    }),
    entrypoint: ['/bin/sh', '-c'],
    command: [`mkdir -p /data/${bucket} && exec versitygw --health /health --port :7070 posix /data`],
    ready: (wait) => wait.forHttp('/health', 7070),
  });
  return { endpoint: `http://127.0.0.1:${port}`, bucket, ...CREDENTIALS };
}
