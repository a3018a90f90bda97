import { posix } from 'node:path';

/** The parts of a path such as `services/flags/src/rulesets/store.ts`. */
export interface ServiceFile {
  service: string;
  /** The folders between `src` and the file. */
  folders: string[];
  name: string;
}

/** Parses a path. Returns undefined for paths outside a service's `src`. */
export function serviceFile(path: string): ServiceFile | undefined {
  const [top, service, src, ...rest] = path.split('/');
  const name = rest.pop();
  if (top !== 'services' || src !== 'src' || service === undefined || name === undefined) return undefined;
  return { service, folders: rest, name };
}

export const isTest = (path: string) => path.endsWith('.test.ts');

/** Returns whether only tests use a file: the tests themselves and folders named `testing`. */
export const isForTests = (path: string) => isTest(path) || path.split('/').includes('testing');

/**
 * Returns the folder below `src` of a service or of the command-line tool. Returns undefined for files at the top of
 * `src`, for files that only tests use, and for other packages.
 */
export const featureFolder = (path: string): string | undefined =>
  isForTests(path) ? undefined : /^((?:services\/[^/]+|packages\/tools\/cli)\/src\/[^/]+)\//.exec(path)?.[1];

/** Returns the package of a file: `services/flags`, `packages/kit/testkit`, `bench`. */
export function packageOf(path: string): string {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top === 'packages' && second !== 'contracts') return `${top}/${second}/${third}`;
  return ['services', 'packages', 'deploy'].includes(top) ? `${top}/${second}` : top;
}

export const folderOf = (path: string) => posix.dirname(path);

/** Converts `public-links` to `publicLinks`. */
export const camelCase = (name: string) =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Converts `public-links` to `PublicLinks`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
