import { hash, randomUUID } from 'node:crypto';
import { type EventImport, IMPORTS_MAX_COUNT, timestamp } from '@switchboard/contracts';
import { type Database, type Transactor, tryTransaction } from '@switchboard/database';
import { moved } from '@switchboard/engine';
import { createFairQueue } from '@switchboard/fairness';
import {
  BadRequest,
  Conflict,
  decodeCursor,
  encodeCursor,
  NotFound,
  type Page,
  type PageRequest,
  toPage,
  Unavailable,
} from '@switchboard/http';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import type { Clock } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import { z } from 'zod';
import { deleteFiles } from '../files/rewrite.ts';
import { createFilesStore, type Step } from '../files/store.ts';
import { ANY_PROJECT } from '../rows/contents.ts';
import { dayOf } from '../rows/file-keys.ts';
import type { ImportCalls } from './calls.ts';
import {
  createImportsStore,
  type ImportPath,
  type ImportRow,
  type ImportStart,
  type PartPath,
  type PartRow,
} from './store.ts';

interface ImportsOptions {
  db: Database['drizzle'];
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  /** The threads that encode parts. They must not be those that decode and encode live events. */
  threads: Pick<Threads<ImportCalls>, 'use'>;
  clock: Clock;
}

type NewImport = Pick<EventImport, 'source' | 'name' | 'totalParts'>;

export interface ImportedPart {
  events: number;
  isNew: boolean;
}

export interface Imports {
  put(change: Transactor, path: ImportPath, wanted: NewImport): Promise<EventImport>;
  get(path: ImportPath): Promise<EventImport>;
  list(projectId: string, page: PageRequest): Promise<Page<EventImport>>;
  /**
   * Imports a part once. Its file is read from the moment at which the part is known. Without that moment, the
   * object is deleted like that of an abandoned merge.
   */
  putPart(change: Transactor, path: PartPath, part: { sha256: string; value: Buffer }): Promise<ImportedPart>;
}

const RETRY_AFTER_SECONDS = 5;
/** Parts are encoded one after the other, and projects take turns. */
const PARTS_AT_ONCE = 1;

/** Imports events of other products into files of the archive, past the deduplication of live events. */
export function createImports({ db, objects, threads, clock }: ImportsOptions): Imports {
  const store = createImportsStore(db);
  const files = createFilesStore(db);
  const queued = createFairQueue(PARTS_AT_ONCE);

  async function findOrThrow(path: ImportPath): Promise<ImportRow> {
    const row = await store.find(path);
    if (row === undefined) throw new NotFound('Import not found.');
    return row;
  }

  async function present(row: ImportRow): Promise<EventImport> {
    const { projectId, startedAt, updatedAt, ...fields } = row;
    return {
      ...fields,
      nextPart: await store.nextPart({ projectId, importId: row.id }),
      startedAt: startedAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    };
  }

  /** Stores the file of a part that nothing reads yet. */
  async function write(path: PartPath, value: Buffer) {
    const { projectId } = path;
    const place = await store.nextPlace();
    const receivedAt = clock.now().getTime();
    const bytes = new Uint8Array(value);
    const encoded = await threads.use((thread) =>
      thread.encodePart(moved({ projectId, value: bytes, place, receivedAt }, [bytes])),
    );
    if ('fault' in encoded) throw new BadRequest(encoded.fault);
    const id = randomUUID();
    const day = dayOf(receivedAt);
    const file = {
      ...ANY_PROJECT,
      projectId,
      ...encoded.contents,
      // Named like a merged file, so that a rebuild of the manifest finds it.
      key: `events/${day}/merged-${id}-0.parquet`,
      day,
      bytes: encoded.bytes.length,
    };
    const step: Step = { id, replaced: [], files: [file] };
    await files.prepare(step);
    await objects.put(file.key, encoded.bytes).catch((error) => {
      if (!(error instanceof ObjectStoreError)) throw error;
      throw new Unavailable(
        'Object store unavailable. Retry after the time in Retry-After.',
        RETRY_AFTER_SECONDS,
      );
    });
    return { step, place, events: encoded.contents.rows, at: new Date(receivedAt) };
  }

  async function addPart(change: Transactor, path: PartPath, sent: { sha256: string; value: Buffer }) {
    const known = await store.findPart(path);
    if (known !== undefined) return change.transaction(async () => knownPart(path, known, sent.sha256));
    const { step, ...part } = await write(path, sent.value);
    const added = await tryTransaction<'added' | 'known' | 'given up'>(change, async (tx, undo) => {
      // Locked first, so that the import is not removed with its project in between.
      if (!(await createImportsStore(tx).lock(path))) throw new NotFound('Import not found.');
      if (!(await createImportsStore(tx).addPart(path, { ...part, sha256: sent.sha256 }))) undo('known');
      if (!(await createFilesStore(tx).replace(step))) undo('given up');
      return 'added';
    });
    if (added === 'added') return { events: part.events, isNew: true };
    await deleteFiles(step.files, { store: files, objects });
    if (added === 'given up')
      throw new Unavailable('An erasure is in progress. Retry after the time in Retry-After.');
    const other = await store.findPart(path);
    if (other === undefined) throw new NotFound('Import not found.');
    return change.transaction(async () => knownPart(path, other, sent.sha256));
  }

  return {
    async put(change, path, wanted) {
      const now = clock.now();
      const { projectId, importId: id } = path;
      const row = await change.transaction(async (tx) => {
        const found = await createImportsStore(tx).put({
          ...{ projectId, id, ...wanted, startedAt: now, updatedAt: now },
        });
        if (found === undefined)
          throw new Conflict(`The project has ${IMPORTS_MAX_COUNT} imports, which is the most.`);
        if (found.source !== wanted.source)
          throw new Conflict(`The import exists with source ${found.source}.`);
        return found;
      });
      return present(row);
    },

    get: async (path) => present(await findOrThrow(path)),

    async list(projectId, { cursor, limit }) {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const rows = await store.list(projectId, after, limit + 1);
      const { rows: page, nextCursor } = toPage(rows, limit, cursorOf);
      return { rows: await Promise.all(page.map(present)), nextCursor };
    },

    async putPart(change, path, sent) {
      const found = hash('sha256', sent.value, 'hex');
      if (found !== sent.sha256) throw new BadRequest(`sha256: the body has ${found}`);
      await findOrThrow(path);
      return queued(path.projectId, () => addPart(change, path, sent));
    },
  };
}

function knownPart({ part }: PartPath, { sha256, events }: PartRow, wanted: string): ImportedPart {
  if (sha256 !== wanted) throw new Conflict(`Part ${part} was imported with another content.`);
  return { events, isNew: false };
}

const cursorSchema = z.tuple([timestamp, z.string().min(1).max(64)]);

const cursorOf = ({ startedAt, id }: ImportStart) => encodeCursor([startedAt.toISOString(), id]);

function parseCursor(cursor: string): ImportStart {
  const [startedAt, id] = decodeCursor(cursor, cursorSchema);
  return { startedAt: new Date(startedAt), id };
}
