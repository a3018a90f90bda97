import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually, type Program } from '@switchboard/testkit';
import { HEAP_FLAGS, startRig } from '../lib/rig.ts';
import { UNLIMITED_MESSENGER } from '../lib/unlimited.ts';

export const PROJECT_ID = 'bench';
export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const AUTHORIZED = { Authorization: `Bearer ${PROJECT_KEY}` };

export interface Deployment {
  service: Program;
  manage(method: string, path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the messenger service as a process, with one project. PostgreSQL is also its event log. */
export async function deploy({ durable }: { durable: boolean }): Promise<Deployment> {
  const { rig, stop } = await startRig({
    durable,
    env: UNLIMITED_MESSENGER,
  });
  const log = openPostgresLog({ url: rig.logUrl });
  rig.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  await directory.putProject({ id: PROJECT_ID, companyId: 'company', name: 'Bench', key: PROJECT_KEY });
  const service = await rig.spawn('messenger', { flags: HEAP_FLAGS, output: 'inherit' });
  return {
    service,
    manage: (method, path, body) =>
      eventually(async () => {
        const { status } = await rig.manage('messenger', method, `/projects/${PROJECT_ID}${path}`, body);
        if (status >= 300) throw new Error(`${method} ${path} got status ${status}`);
      }),
    stop,
  };
}
