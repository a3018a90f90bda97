import type { Entry } from './palette-matches.ts';

const MAX_RECENT = 8;

const keyOf = (projectId: string) => `recent:${projectId}`;

/** Returns the entries that were opened in this browser, newest first. */
export function recentOf(projectId: string): Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry).slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

/** Keeps an entry that was opened. */
export function rememberRecent(projectId: string, { title, to, kind }: Entry): void {
  const others = recentOf(projectId).filter((one) => one.to !== to);
  const kept = [{ title, to, kind }, ...others].slice(0, MAX_RECENT);
  localStorage.setItem(keyOf(projectId), JSON.stringify(kept));
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' &&
  value !== null &&
  ['title', 'to', 'kind'].every((name) => typeof Reflect.get(value, name) === 'string');
