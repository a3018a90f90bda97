import { beginsHard, hardWords } from './english.ts';
import { featureFolder, folderOf, isForTests, isTest, packageOf } from './paths.ts';
import type { Rule, Violation } from './rule.ts';
import type { Tree } from './source.ts';

const MAX_FILES = 15;

/** Limits the size of a folder. Does not count tests and declarations. */
export const folderSize: Rule = {
  name: `no folder holds more than ${MAX_FILES} source files`,
  check(tree) {
    const sizes = new Map<string, number>();
    for (const path of tree.keys()) {
      if (isTest(path) || path.endsWith('.d.ts')) continue;
      sizes.set(folderOf(path), (sizes.get(folderOf(path)) ?? 0) + 1);
    }
    return [...sizes]
      .filter(([, size]) => size > MAX_FILES)
      .map(([file, size]) => ({ file, problem: `holds ${size} source files` }));
  },
};

export const constantNames: Rule = {
  name: 'module-level constants are UPPER_SNAKE, and a maximum begins with MAX_',
  check(tree) {
    return [...tree.values()].flatMap(({ path, constants }): Violation[] => {
      if (isForTests(path)) return [];
      const wrong = constants.filter((name) => !/^(?!MOST_)[A-Z][A-Z0-9_]*$/.test(name));
      return wrong.map((name) => ({ file: path, problem: name }));
    });
  },
};

/** Files that may read the system clock, with the reason. */
const CLOCK_READERS = new Map([
  ['packages/domain/directory/src/tokens/use-reporter.ts', 'shows when a token was used'],
  ['packages/platform/event-log/src/kafka/encoding/record-batch.ts', 'dates records'],
  ['packages/platform/object-store/src/web-identity.ts', 'turns an expiry into a lifetime as it is granted'],
  ['packages/kit/http/src/access/access-tokens.ts', 'compares it with the expiry in a token'],
  ['packages/kit/http/src/access/api-tokens.ts', 'compares it with the expiry of a token'],
  ['packages/kit/http/src/access/grants.ts', 'compares it with the expiry of a token'],
  ['packages/kit/runtime/src/process/context.ts', 'the clock that services are given'],
  ['packages/kit/runtime/src/telemetry/event-log-metrics.ts', 'compares it with the time of a record'],
]);

/** SDKs and the console's pages may: they show times, and compare them across pages and processes. */
const mayReadClock = (path: string) =>
  !/^(services|packages)\//.test(path) ||
  /^(packages\/(sdk|kit\/testkit)|services\/console\/web)\//.test(path) ||
  isForTests(path) ||
  CLOCK_READERS.has(path);

export const systemClock: Rule = {
  name: 'ages, waits and deadlines are measured with performance.now(): the system clock may be set back',
  check(tree) {
    return [...tree.values()]
      .filter(({ path, readsSystemClock }) => readsSystemClock && !mayReadClock(path))
      .map(({ path }) => ({ file: path, problem: 'reads the system clock' }));
  },
};

/** Files that contain hard words on purpose. */
const EXAMPLES_OF_HARD_WORDS = ['e2e/structure/rules.test.ts', 'e2e/docs/english.test.ts'];

export const plainEnglish: Rule = {
  name: 'comments and strings are plain English',
  check(tree) {
    return [...tree.values()].flatMap(({ path, comments, strings }): Violation[] => {
      if (EXAMPLES_OF_HARD_WORDS.includes(path)) return [];
      const hard = [
        ...comments.filter((text) => hardWords(text).length > 0 || beginsHard(text)),
        ...strings.filter((text) => hardWords(text).length > 0 || (beginsHard(text) && text.endsWith('.'))),
      ];
      return hard.map((text) => ({
        file: path,
        problem: `"${text}": ${hardWords(text).join(', ') || 'its beginning'}`,
      }));
    });
  },
};

const TEST_LIBRARIES = ['vitest', 'fast-check', '@switchboard/testkit'];
/** Packages that exist only for tests. */
const FOR_TESTS = ['packages/kit/testkit', 'bench', 'e2e'];

export const testHelpers: Rule = {
  name: 'test helpers stand in testing/ alone',
  check(tree) {
    return [...tree.values()].flatMap(({ path, imports }): Violation[] => {
      if (isForTests(path) || FOR_TESTS.includes(packageOf(path))) return [];
      const problems = imports.flatMap(({ target }) => {
        if (TEST_LIBRARIES.some((name) => target === name || target.startsWith(`${name}/`)))
          return [`imports ${target}`];
        return tree.has(target) && isForTests(target) ? [`imports ${target}`] : [];
      });
      if (isOnlyUsedByTests(tree, path)) problems.push('nothing but tests imports it');
      return problems.map((problem) => ({ file: path, problem }));
    });
  },
};

function isOnlyUsedByTests(tree: Tree, path: string): boolean {
  if (path.endsWith('/index.ts')) return false;
  const users = [...tree.values()].filter(({ imports }) => imports.some(({ target }) => target === path));
  return users.length > 0 && users.every((user) => isForTests(user.path));
}

/** Forbids import cycles. Type imports count, because cyclic types are also hard to understand. */
export const importCycles: Rule = {
  name: 'no files import each other in a circle',
  check: (tree) =>
    circlesOf(
      new Map(
        [...tree.values()].map(({ path, imports }) => [path, new Set(imports.map(({ target }) => target))]),
      ),
    ),
};

/** Forbids cycles between the feature folders of a service or of the command-line tool. */
export const folderCycles: Rule = {
  name: 'no folders of a service or of the cli import each other in a circle',
  check(tree) {
    const folders = new Map<string, Set<string>>();
    for (const { path, imports } of tree.values()) {
      const folder = featureFolder(path);
      if (folder === undefined) continue;
      const imported = folders.get(folder) ?? new Set();
      folders.set(folder, imported);
      for (const { target } of imports) {
        const other = featureFolder(target);
        if (other !== undefined && other !== folder) imported.add(other);
      }
    }
    return circlesOf(folders);
  },
};

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns a violation for each cycle that a depth-first search closes: its first node, and the path back to it. */
function circlesOf(graph: Graph): Violation[] {
  const circles: Violation[] = [];
  const done = new Set<string>();
  const visit = (node: string, above: string[]): void => {
    const start = above.indexOf(node);
    if (start >= 0) {
      const [file = node, ...rest] = above.slice(start);
      circles.push({ file, problem: [...rest, node].join(' -> ') });
    }
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...above, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}
