import { afterAll, beforeAll, expect, it } from 'vitest';
import { chunkOf, newSession } from '../testing/recording.ts';
import { type ArchiveHarness, startArchive } from '../testing/service.ts';

let archive: ArchiveHarness;
beforeAll(async () => {
  archive = await startArchive({ roles: 'http' });
});
afterAll(() => archive.stop());

it('archives chunks of millions of values in the memory of their bytes', async () => {
  // Parsed, one of them takes more than the heap of the process.
  const events = Array.from({ length: 2_000_000 }, () => []);
  const session = newSession();
  for (const seq of [0, 1, 2]) await archive.send(chunkOf(session, seq, events));
  const program = await archive.spawn({ env: { ROLES: 'replays' }, flags: ['--max-old-space-size=96'] });
  await archive.until(session, { chunks: 3, events: 6_000_000 });
  expect((await fetch(`${program.url}/health/live`)).status).toBe(200);
  await program.kill('SIGTERM');
});
