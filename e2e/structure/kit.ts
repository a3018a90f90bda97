import type { Rule, Violation } from './rule.ts';

/** The folders of the kit's packages, lowest first. Each may import those before it. */
export const KIT_ORDER: Readonly<Record<string, readonly string[]>> = {
  'packages/kit/runtime/src/': [
    'settings',
    'threads',
    'telemetry',
    'secrets',
    'process',
    'backings',
    'outgoing',
    'maintenance',
  ],
  'packages/kit/http/src/': [
    'audit',
    'exchange',
    'server',
    'overload',
    'body',
    'access',
    'pipeline',
    'service',
  ],
};

export const kitOrder: Rule = {
  name: 'runtime and http have index.ts at their top, and no folder imports a higher one',
  check: (tree) =>
    Object.entries(KIT_ORDER).flatMap(([src, folders]) => {
      const levelOf = (path: string) =>
        path.startsWith(src) ? folders.indexOf(path.slice(src.length).split('/')[0] ?? '') : -1;
      return [...tree.values()].flatMap(({ path, imports }): Violation[] => {
        if (!path.startsWith(src) || path.startsWith(`${src}testing/`)) return [];
        const level = levelOf(path);
        if (level < 0)
          return path === `${src}index.ts` ? [] : [{ file: path, problem: 'is in none of the folders' }];
        const higher = imports.filter(({ target }) => levelOf(target) > level);
        return higher.map(({ target }) => ({ file: path, problem: `imports ${target}` }));
      });
    }),
};
