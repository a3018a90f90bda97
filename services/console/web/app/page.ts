import type { LucideIcon } from 'lucide-react';
import { type ComponentType, useEffect, useSyncExternalStore } from 'react';
import type { Project } from './project.ts';

/** The section of a page in the rail. */
export type Section = 'main' | 'settings';

export type RawSearch = Readonly<Record<string, unknown>>;

/** A command of the palette (`⌘K`) beside going to the page. */
export interface Command {
  title: () => string;
  /** The path below the project, with a query. */
  to: string;
}

export interface Page {
  /** The path below the project, such as `/flags`; parameters are `/$name`. */
  path: string;
  /** The title in the rail, the top bar and the palette. */
  title: () => string;
  /** The path of the list that its entry belongs to, such as `/flags` for a flag. */
  parent?: string;
  /** The entry in the rail. A page without one is reached by links. */
  rail?: {
    section: Section;
    icon: LucideIcon;
    order: number;
    /** Whether the rail of a project lists the page. Default: yes. */
    isShown?: (project: Project) => boolean;
    /** The number of things that wait for the person. */
    Count?: ComponentType;
  };
  /** The key after `g` that goes to the page: a letter, or as `Shift+F` that of the page it belongs to. */
  go?: string;
  /** The permission without which the page is not listed, and says who may see it. */
  permission?: string;
  /** Loads the component, which is the export `Page` of its file. */
  load: () => Promise<{ Page: ComponentType }>;
  commands?: readonly Command[];
  /** The names of its settings, by which the palette finds it as well. */
  settings?: () => readonly string[];
}

/** Declares a page. `page.ts` of each folder in `pages/` exports one as `page`. */
export const definePage = (page: Page): Page => page;

/** Parses a text of the address. Empty is undefined, so that it leaves the address. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** Parses one of several values of the address. */
export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value);

let heading: string | undefined;
const listeners = new Set<() => void>();
function setHeading(next: string | undefined): void {
  heading = next;
  for (const listener of listeners) listener();
}

/** Makes a text the heading of the shown page while the component is mounted. */
export function useHeading(text: string): void {
  useEffect(() => {
    setHeading(text);
    return () => setHeading(undefined);
  }, [text]);
}

/** Returns the heading of the shown page, such as the name of a report. */
export const useShownHeading = (): string | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => heading,
  );
