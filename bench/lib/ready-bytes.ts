import { join } from 'node:path';
import { call, type Program, type ProgramOptions, spawnProgram } from '@switchboard/testkit';
import type { Target } from './compare.ts';
import { decimals } from './table.ts';

/** A server of ready bytes, the floor of reads. */
export interface ReadyBytes {
  server: Program;
  /** Returns a target that repeats a read, beside ready bytes of the same size. */
  read(
    name: string,
    server: Program,
    path: string,
    headers?: Record<string, string>,
  ): Promise<Target & { floor: Target }>;
  /** Returns a target that repeats a read with the ETag of its response, beside 304s. */
  notModified(name: string, read: Target & { floor: Target }): Promise<Target>;
}

/** Starts a bare `node:http` server that sends ready bytes. */
export async function startReadyBytes(
  flags: readonly string[] = [],
  env: ProgramOptions['env'] = {},
): Promise<ReadyBytes> {
  const floor = await spawnProgram({
    command: ['node', ...flags, join(import.meta.dirname, 'ready-bytes-process.ts')],
    env,
    ready: '/2',
    output: 'inherit',
  });
  return {
    server: floor,
    async read(name, server, path, headers = {}) {
      const response = await fetch(server.url + path, { headers });
      if (response.status !== 200) throw new Error(`${path} got status ${response.status}`);
      const bytes = (await response.arrayBuffer()).byteLength;
      return {
        name,
        server,
        headers,
        requests: [{ path }],
        floor: {
          name: `floor: ${decimals(bytes / 1000)} kB of ready bytes`,
          server: floor,
          requests: [{ path: `/${bytes}` }],
        },
      };
    },
    async notModified(name, read) {
      const { server, requests, headers = {} } = read;
      const response = await call('GET', `${server.url}${requests[0]?.path}`, { headers });
      const etag = response.headers.get('etag');
      if (etag === null) throw new Error(`${name}: the response has no ETag`);
      const conditional = { 'If-None-Match': etag };
      return {
        ...read,
        name,
        headers: { ...headers, ...conditional },
        floor: { ...read.floor, name: 'floor: 304', headers: conditional },
      };
    },
  };
}
