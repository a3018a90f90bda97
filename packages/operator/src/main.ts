#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import {
  applyManifest,
  createManagementClient,
  ManagementError,
  ManifestError,
  parseManifest,
} from './index.ts';

const HELP = `switchboard: manage a Switchboard deployment

  switchboard apply <manifest.yaml> [--url <address>] [--json]

Creates or replaces everything that the manifest names; what it does not name is left alone.

  --url     address of the management API; SWITCHBOARD_URL when not given. Where each service has its own
            address: SWITCHBOARD_CATALOGUE_URL, SWITCHBOARD_FLAGS_URL, SWITCHBOARD_COLLABORATION_URL,
            SWITCHBOARD_MESSENGER_URL, SWITCHBOARD_INGESTION_URL
  --json    one JSON object as the answer instead of lines
  --help    this

The access token, with the permission service.manage, is read from SWITCHBOARD_TOKEN.
Exit codes: 0 done, 1 refused or not reachable, 2 the command or the manifest is wrong.
`;

/** The command line is wrong; the message says how. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const [command, path, ...rest] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(HELP);
    return;
  }
  if (command !== 'apply') throw new UsageError(`there is no command ${command}; see switchboard --help`);
  if (path === undefined || rest.length > 0)
    throw new UsageError('apply takes one manifest: switchboard apply <file>');
  const say = values.json ? () => undefined : (line: string) => process.stdout.write(`${line}\n`);

  const manifest = parseManifest(await readManifest(path));
  const token = process.env['SWITCHBOARD_TOKEN'];
  if (!token)
    throw new UsageError('set SWITCHBOARD_TOKEN to an access token with the permission service.manage');
  const client = createManagementClient({ token, addressOf: (service) => addressOf(service, values.url) });
  const calls = await applyManifest(manifest, { client, onStep: say });
  process.stdout.write(values.json ? `${JSON.stringify({ applied: calls })}\n` : `applied: ${calls} calls\n`);
}

async function readManifest(path: string): Promise<string> {
  try {
    return await readFile(path === '-' ? '/dev/stdin' : path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`${path} cannot be read (${code})`);
  }
}

function addressOf(service: ServiceName, url: string | undefined): string {
  const name = `SWITCHBOARD_${service.toUpperCase()}_URL`;
  const address = url ?? process.env[name] ?? process.env['SWITCHBOARD_URL'];
  if (!address) throw new UsageError(`give --url, or set SWITCHBOARD_URL or ${name}`);
  return address.replace(/\/+$/, '');
}

try {
  await main();
} catch (error) {
  const usage =
    error instanceof UsageError ||
    error instanceof ManifestError ||
    (error instanceof TypeError && 'code' in error);
  if (!usage && !(error instanceof ManagementError)) throw error;
  process.stderr.write(`switchboard: ${error.message}\n`);
  process.exitCode = usage ? 2 : 1;
}
