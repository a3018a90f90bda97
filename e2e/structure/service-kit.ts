import type { Rule, Violation } from './rule.ts';

const SRC = 'packages/kit/service-kit/src/';

/** The folders of service-kit, lowest first. Each may import those before it. */
export const KIT_ORDER = [
  'settings',
  'telemetry',
  'audit',
  'http',
  'secrets',
  'limits',
  'outgoing',
  'access',
  'lifecycle',
  'upkeep',
];

export const kitOrder: Rule = {
  name: 'service-kit has index.ts at its top, and no folder imports a higher one',
  check(tree) {
    return [...tree.values()].flatMap(({ path, imports }): Violation[] => {
      if (!path.startsWith(SRC)) return [];
      if (path.startsWith(`${SRC}testing/`)) return [];
      const level = levelOf(path);
      if (level === undefined)
        return path === `${SRC}index.ts` ? [] : [{ file: path, problem: 'is in none of the folders' }];
      const higher = imports.filter(({ target }) => (levelOf(target) ?? -1) > level);
      return higher.map(({ target }) => ({ file: path, problem: `imports ${target}` }));
    });
  },
};

function levelOf(path: string): number | undefined {
  if (!path.startsWith(SRC)) return undefined;
  const level = KIT_ORDER.indexOf(path.slice(SRC.length).split('/')[0] ?? '');
  return level < 0 ? undefined : level;
}
