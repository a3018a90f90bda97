import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import { createManagementClient, type ManagementClient } from '../management-client.ts';
import type { Outcome } from '../manifest/apply.ts';
import { type Terminal, UsageError } from './terminal.ts';

const commonOptions = {
  url: { type: 'string' },
  wait: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** Reads a command's arguments. Throws UsageError. */
export function readArguments<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...commonOptions, ...options } });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

interface CommonValues {
  url?: string | undefined;
  wait?: string | undefined;
}

/** Opens the management API that the options and the environment name. Throws UsageError. */
export function openClient({ url, wait = '15' }: CommonValues, { env }: Terminal): ManagementClient {
  const token = env['SWITCHBOARD_TOKEN'];
  if (!token) {
    throw new UsageError('set SWITCHBOARD_TOKEN to an access token with permissions, such as service.manage');
  }
  const seconds = Number(wait);
  if (!(seconds >= 0 && seconds <= 3600)) throw new UsageError('--wait: give seconds from 0 to 3600');
  return createManagementClient({
    token,
    retryForMs: seconds * 1000,
    addressOf: (service) => addressOf(service, url, env),
  });
}

function addressOf(service: ServiceName, url: string | undefined, env: Terminal['env']): string {
  const name = `SWITCHBOARD_${service.toUpperCase()}_URL`;
  const address = url ?? env[name] ?? env['SWITCHBOARD_URL'];
  if (!address) throw new UsageError(`set SWITCHBOARD_URL or ${name}, or give --url`);
  if (!URL.canParse(address))
    throw new UsageError(`${address}: not an address; give one such as http://127.0.0.1:4003`);
  return address.replace(/\/+$/, '');
}

/** Shows progress on an interactive standard error; `end` clears the line. */
export function progressOn({ isInteractive, err }: Terminal) {
  let shown = false;
  return {
    show(_: Outcome, settled: number, all: number): void {
      if (!isInteractive) return;
      shown = true;
      err(`\r\u001b[K${settled} of ${all}`);
    },
    end(): void {
      if (shown) err('\r\u001b[K');
    },
  };
}
