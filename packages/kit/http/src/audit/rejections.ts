import type { AuditEntry } from '@switchboard/contracts';

interface RejectionsOptions {
  /** The number of rejections of one kind per minute that get their own entry. Others are counted. */
  maxAlike: number;
  /** The number of rejections per minute, of all kinds, that get their own entry. */
  maxWritten: number;
  /** The number of kinds per minute that are counted separately. Others are counted as one kind. */
  maxKinds: number;
  write(entry: AuditEntry): Promise<void>;
  /** Called for a rejection without its own entry. */
  onCounted(): void;
}

/** Writes a limited number of rejections per minute to the audit trail. The others share entries with a count. */
export interface Rejections {
  /** Writes an entry, or counts it if it cannot be written. Never rejects. */
  record(entry: AuditEntry): Promise<void>;
  /** Writes the counted rejections and begins a new minute. */
  flush(): Promise<void>;
}

interface Kind {
  alike: number;
  counted: number;
  first: AuditEntry;
  lastAt: string;
}

export function createRejections({
  maxAlike,
  maxWritten,
  maxKinds,
  ...options
}: RejectionsOptions): Rejections {
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
        // While the database is unavailable, they are kept as one kind.
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

/** Returns an entry for rejections of several callers, companies and objects. */
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
