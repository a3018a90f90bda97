type Settings = Readonly<Record<string, unknown>>;
interface Entry {
  id: string;
}

/** The settings of a project that never changed them. */
const NEVER_CHANGED = {
  version: 0,
  teams: [],
  labels: [],
  savedReplies: [],
  views: [],
  keepAssigneeDays: null,
};

/** Returns support settings with those of a manifest. The entries of lists that it does not name are kept. */
export function withSupport(current: Settings = NEVER_CHANGED, wanted: Settings): Settings {
  const changed = Object.entries(wanted).map(([name, value]) => {
    const before = current[name];
    return [name, isEntries(before) && isEntries(value) ? merged(before, value) : value];
  });
  return { ...current, ...Object.fromEntries(changed) };
}

function merged(before: readonly Entry[], wanted: readonly Entry[]): Entry[] {
  const kept = before.map((entry) => wanted.find(({ id }) => id === entry.id) ?? entry);
  return [...kept, ...wanted.filter(({ id }) => before.every((entry) => entry.id !== id))];
}

const isEntries = (value: unknown): value is Entry[] => Array.isArray(value);
