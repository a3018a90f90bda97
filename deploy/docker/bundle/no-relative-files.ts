import type { Plugin } from 'rolldown';
import { packageOf } from './package-of.ts';

/** Dependencies that name files beside their own code, and why nothing of it is missing in a bundle. */
const KNOWN = new Map([
  ['ioredis', 'shortens stacks by it'],
  ['mailgen', 'is given the path of its theme'],
  ['pino', 'starts workers for transports alone, and we have none'],
  ['thread-stream', 'the same'],
]);

/** Refuses a dependency that reads files beside its own code, which a bundle moves away from them. */
export function noRelativeFiles(): Plugin {
  return {
    name: 'no-relative-files',
    transform: {
      filter: {
        id: /\/node_modules\//,
        code: /\b__dirname\b|\bimport\.meta\.(url|dirname|filename|resolve)\b/,
      },
      async handler(_code, id) {
        const { name } = await packageOf(id);
        if (KNOWN.has(name)) return;
        this.error(
          `${id} names files beside itself. Find out which, see that the bundle has them, add ${name} here.`,
        );
      },
    },
  };
}
