import { type AuditPage, type AuditQuery, timestamp } from '@switchboard/contracts';
import { decodeCursor, encodeCursor, type PageRequest, toPage } from '@switchboard/http';
import { z } from 'zod';
import type { AuditSelection, AuditStore, Position } from './store.ts';

const EXPORT_PAGE_SIZE = 500;

export type AuditPlace = Pick<AuditSelection, 'companyId' | 'projectId'>;
export type AuditFilters = Omit<AuditQuery, 'format' | keyof PageRequest>;

/** The audit trail, newest entries first. */
export interface Audit {
  /** Throws BadRequest for a cursor that no page returned. */
  list(place: AuditPlace, filters: AuditFilters, page: PageRequest): Promise<AuditPage>;
  /** Yields every matching entry as a line of JSON. Entries are read page by page. */
  lines(place: AuditPlace, filters: AuditFilters): AsyncGenerator<Uint8Array>;
}

export function createAudit({ store }: { store: Pick<AuditStore, 'list'> }): Audit {
  return {
    async list(place, filters, { cursor, limit }) {
      const after = cursor === undefined ? undefined : positionOf(cursor);
      const rows = await store.list(selectionOf(place, filters), after, limit + 1);
      const { rows: page, nextCursor } = toPage(rows, limit, cursorOf);
      return { entries: page.map(({ entry }) => JSON.parse(entry)), nextCursor };
    },

    async *lines(place, filters) {
      const selection = selectionOf(place, filters);
      let after: Position | undefined;
      for (;;) {
        const page = await store.list(selection, after, EXPORT_PAGE_SIZE);
        if (page.length > 0) yield Buffer.from(page.map(({ entry }) => `${entry}\n`).join(''));
        after = page.at(-1);
        if (page.length < EXPORT_PAGE_SIZE) return;
      }
    },
  };
}

function selectionOf(place: AuditPlace, { from, to, ...filters }: AuditFilters): AuditSelection {
  return {
    ...filters,
    ...place,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
}

const cursorSchema = z.tuple([timestamp, z.string().max(100)]);

const cursorOf = ({ at, id }: Position) => encodeCursor([at, id]);

function positionOf(cursor: string): Position {
  const [at, id] = decodeCursor(cursor, cursorSchema);
  return { at, id };
}
