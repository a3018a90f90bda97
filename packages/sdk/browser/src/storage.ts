import { toJson } from './transport.ts';

/** JSON in localStorage or sessionStorage. It is empty if the browser or the visitor does not allow storage. */
export interface Storage {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
  remove(name: string): void;
}

export function createStorage(kind: 'localStorage' | 'sessionStorage', prefix: string): Storage {
  // Accessing storage throws if it is blocked.
  const attempt = <T>(use: (area: globalThis.Storage) => T): T | undefined => {
    try {
      return use(window[kind]);
    } catch {
      return undefined;
    }
  };
  return {
    read: (name) =>
      attempt((area): unknown => JSON.parse(area.getItem(prefix + name) ?? 'null')) ?? undefined,
    write: (name, value) => void attempt((area) => area.setItem(prefix + name, toJson(value))),
    remove: (name) => void attempt((area) => area.removeItem(prefix + name)),
  };
}

/** Returns whether an external value is an object with properties. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
