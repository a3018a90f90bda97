import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { caddyfile } from './caddyfile.ts';
import { writePublicFiles } from './public.ts';

/**
 * `main.ts` writes the Caddyfile. `main.ts public <folder>` writes the files that the gateway serves itself, with the
 * addresses in PUBLIC_API_URL, PUBLIC_EVENTS_URL and PUBLIC_REPLAY_URL.
 */
const [command, folder] = process.argv.slice(2);
if (command === undefined) {
  await writeFile(join(import.meta.dirname, '../Caddyfile'), await caddyfile());
} else if (command === 'public' && folder !== undefined) {
  const { PUBLIC_API_URL: api, PUBLIC_EVENTS_URL: events, PUBLIC_REPLAY_URL: replay } = process.env;
  const servers = { ...(api && { api }), ...(events && { events }), ...(replay && { replay }) };
  await writePublicFiles(folder, servers);
} else {
  process.stderr.write('Usage: main.ts [public <folder>]\n');
  process.exitCode = 1;
}
