import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Program, spawnProgram } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const MAIN = join(REPOSITORY, 'deploy/demo/src/main.ts');

describe('the development servers of docker-compose.yml', () => {
  let home: string;
  let server: Program;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'switchboard-demo-'));
    const services = ['CATALOGUE', 'COLLABORATION', 'MESSENGER', 'FLAGS', 'ARCHIVE', 'ANALYTICS'];
    server = await spawnProgram({
      command: ['node', MAIN, 'serve'],
      env: {
        DEMO_HOME: home,
        AUTH_ISSUER: 'http://dev:3000',
        HOST: '127.0.0.1',
        MANAGEMENT_PORT: String(await freePort()),
        ...Object.fromEntries(services.map((name) => [`SWITCHBOARD_${name}_URL`, 'http://127.0.0.1:1'])),
      },
      ready: '/health/ready',
    });
  });
  afterAll(async () => {
    await server?.kill();
    await rm(home, { recursive: true, force: true });
  });

  it('answers 503 with Retry-After for /demo.json until the demo is created', async () => {
    const early = await fetch(`${server.url}/demo.json`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await early.json()).toEqual({ error: { code: 'UNAVAILABLE', message: expect.any(String) } });
    await writeFile(join(home, 'demo.json'), '{"project_id":"prj_shop"}');
    const created = await fetch(`${server.url}/demo.json`);
    expect([created.status, await created.json()]).toEqual([200, { project_id: 'prj_shop' }]);
  });
});
