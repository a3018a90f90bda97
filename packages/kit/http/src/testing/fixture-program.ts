import { Agent, get } from 'node:http';
import { type Program, programFile, spawnProgram } from '@switchboard/testkit';

interface Answer {
  status: number;
  text: string;
}

/** The self-description of a worker of the fixture service. */
export interface Self {
  pid: number;
  instance: string;
  roles: string[];
  heapBytes: number;
  budgetBytes: number;
}

/** A busy machine takes long to load the modules of three processes, one after another. */
const READY_WITHIN_MS = 180_000;
const ANSWERS_WITHIN_MS = 60_000;

/** Starts the fixture service as a process. */
export const startProgram = async (
  env: Record<string, string> = {},
  flags: string[] = [],
  ready: string | RegExp = '/health/ready',
): Promise<Program> =>
  spawnProgram({
    command: ['node', ...flags, await programFile('packages/kit/http/src/testing/fixture-service.ts')],
    env: {
      HOST: '127.0.0.1',
      REGION: 'eu',
      DRAIN_MS: '0',
      AUTH_ISSUER: 'https://id.example',
      AUTH_AUDIENCE: 'switchboard',
      AUTH_JWKS_URL: 'https://id.example/jwks.json',
      CONSOLE_URL: 'https://console.example',
      DATABASE_URL: 'postgres://unused.example/x',
      ...env,
    },
    ready,
    readyWithinMs: READY_WITHIN_MS,
  });

/** Sends a request on a new connection. */
export function getOnce({ url }: Program, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}${path}`, { agent: new Agent(), timeout: ANSWERS_WITHIN_MS }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
        .on('error', reject);
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error('no answer')));
  });
}

/** Returns the workers that answer ten requests, by instance. */
export async function workersOf(program: Program): Promise<Map<string, Self>> {
  const found = new Map<string, Self>();
  for (let i = 0; i < 10; i++) {
    const self: Self = JSON.parse((await getOnce(program, '/self')).text);
    found.set(self.instance, self);
  }
  return found;
}
