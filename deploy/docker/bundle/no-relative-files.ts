import type { Plugin } from 'rolldown';
import { packageOf } from './package-of.ts';

/**
 * Dependencies that refer to files relative to their code, with the reason why a bundle works without those files.
 */
const KNOWN = new Map([
  ['ioredis', 'only shortens stack traces'],
  ['pino', 'starts workers for transports only, and we use none'],
  ['thread-stream', 'is used by pino transports only'],
]);

/** Rejects dependencies that read files relative to their code, because a bundle does not contain those files. */
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
          `${id} refers to files relative to its code. Make sure the bundle works without them, then add ${name} to KNOWN.`,
        );
      },
    },
  };
}
