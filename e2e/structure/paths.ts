import { posix } from 'node:path';

/** `services/flags/src/rulesets/store.ts`, taken apart. */
export interface ServiceFile {
  service: string;
  /** The folders between `src` and the file. */
  folders: string[];
  name: string;
}

/** Undefined for what is not below `src` of a service. */
export function serviceFile(path: string): ServiceFile | undefined {
  const [top, service, src, ...rest] = path.split('/');
  const name = rest.pop();
  if (top !== 'services' || src !== 'src' || service === undefined || name === undefined) return undefined;
  return { service, folders: rest, name };
}

export const isTest = (path: string) => path.endsWith('.test.ts');

/** What only tests use: tests themselves and folders named `testing`. */
export const isForTests = (path: string) => isTest(path) || path.split('/').includes('testing');

/** The package a file belongs to: `services/flags`, `bench`. */
export function packageOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return ['services', 'packages', 'deploy'].includes(top) ? `${top}/${second}` : top;
}

export const folderOf = (path: string) => posix.dirname(path);

/** `public-links` as `publicLinks`. */
export const camelCase = (name: string) =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `public-links` as `PublicLinks`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
