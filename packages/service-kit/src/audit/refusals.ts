import type { AuditEntry } from '@switchboard/contracts';

interface RefusalsOptions {
  /** How many of one kind get an entry each in a minute; the others are counted. */
  maxAlike: number;
  /** How many get an entry each in a minute in all. */
  maxWritten: number;
  /** How many kinds are counted apart in a minute; the others are counted as one. */
  maxKinds: number;
  write(entry: AuditEntry): Promise<void>;
  /** Called for a refusal that has no entry of its own. */
  onCounted(): void;
}

/** Writes refusals to the audit trail, so many a minute and no more: the rest share an entry that says how many. */
export interface Refusals {
  /** Never rejects: what cannot be written is counted. */
  record(entry: AuditEntry): Promise<void>;
  /** Writes what was counted since, and begins a new minute. */
  flush(): Promise<void>;
}

interface Kind {
  alike: number;
  counted: number;
  first: AuditEntry;
  lastAt: string;
}

export function createRefusals({ maxAlike, maxWritten, maxKinds, ...options }: RefusalsOptions): Refusals {
  const { write, onCounted } = options;
  let kinds = new Map<string, Kind>();
  let written = 0;

  function count(kind: Kind, entry: AuditEntry): void {
    if (kind.counted === 0) kind.first = entry;
    kind.counted += 1;
    kind.lastAt = entry.at;
    onCounted();
  }

  function kindOf(entry: AuditEntry): Kind {
    const key = kindKey(entry);
    const known = kinds.get(key);
    if (known !== undefined) return known;
    if (kinds.size < maxKinds) {
      const kind = { alike: 0, counted: 0, first: entry, lastAt: entry.at };
      kinds.set(key, kind);
      return kind;
    }
    const others = kinds.get(OTHERS) ?? {
      alike: maxAlike,
      counted: 0,
      first: entry,
      lastAt: entry.at,
    };
    kinds.set(OTHERS, others);
    return others;
  }

  return {
    async record(entry) {
      const kind = kindOf(entry);
      kind.alike += 1;
      if (kind.alike > maxAlike || written >= maxWritten) {
        count(kind, entry);
        return;
      }
      written += 1;
      await write(entry).catch(() => count(kind, entry));
    },

    async flush() {
      const ended = kinds;
      kinds = new Map();
      written = 0;
      for (const [key, { counted, first, lastAt }] of ended) {
        if (counted === 0) continue;
        const entry = { ...(key === OTHERS ? ofMany(first) : first), count: counted, until: lastAt };
        // While the database is unavailable they go on waiting, as one kind.
        await write(entry).catch(() => {
          const kept = kindOf(first);
          kept.counted += counted;
          kept.first = first;
          kept.lastAt = lastAt;
        });
      }
    },
  };
}

const OTHERS = '';

const kindKey = ({ actor, address, action, companyId, projectId, status }: AuditEntry) =>
  JSON.stringify([actor.id ?? address, actor.tokenId, action, companyId, projectId, status]);

/** An entry for refusals of several callers, companies and objects. */
function ofMany(entry: AuditEntry): AuditEntry {
  return {
    ...entry,
    actor: { kind: 'nobody', id: null, tokenId: null },
    action: 'several',
    object: 'several',
    companyId: null,
    projectId: null,
    address: 'several',
    requestId: null,
    status: null,
  };
}
