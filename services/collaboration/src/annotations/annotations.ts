import type { Annotation, AnnotationDefinition } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { type AuditedChange, Forbidden, NotFound } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import type { AnnotationRow, AnnotationsStore, Range } from './store.ts';

/** The permission to change and delete other people's annotations. */
export const WRITE_PERMISSION = 'service.annotations.write';

/** The number of annotations in memory at a time, regardless of the length of the list. */
const PAGE_SIZE = 1_000;

interface AnnotationsOptions {
  store: AnnotationsStore;
  directory: Pick<Directory, 'report' | 'members'>;
  clock: Clock;
}

/** The fields of an annotation that everyone with access to the report sees. */
export type Note = Pick<AnnotationRow, 'startsOn' | 'endsOn' | 'text' | 'tags'>;

export interface Annotations {
  /** Yields pages of `PAGE_SIZE`. Throws NotFound when the range names a report that the project does not have. */
  list(caller: Caller, range: Range): AsyncGenerator<Annotation[], void>;
  /** Returns the first annotations without their authors. The caller must have checked access. */
  listNotes(projectId: string, range: Range, limit: number): Promise<Note[]>;
  add(change: AuditedChange, caller: Caller, definition: AnnotationDefinition): Promise<Annotation>;
  /** Throws Forbidden unless the caller is the author or has WRITE_PERMISSION. */
  change(
    change: AuditedChange,
    caller: Caller,
    id: string,
    definition: AnnotationDefinition,
  ): Promise<Annotation>;
  /** Throws Forbidden unless the caller is the author or has WRITE_PERMISSION. */
  remove(change: AuditedChange, caller: Caller, id: string): Promise<void>;
}

export function createAnnotations({ store, directory, clock }: AnnotationsOptions): Annotations {
  const mayChange = ({ person }: Caller, row: AnnotationRow) =>
    row.createdBySub === person.sub || person.permissions.includes(WRITE_PERMISSION);

  function requireMayChange(caller: Caller, row: AnnotationRow): void {
    if (mayChange(caller, row)) return;
    throw new Forbidden(
      `Only the author of this annotation or a person with the permission ${WRITE_PERMISSION} may do this.`,
    );
  }

  async function present(caller: Caller, rows: AnnotationRow[]): Promise<Annotation[]> {
    const authors = rows.map(({ createdBySub }) => createdBySub);
    const names = await namesOf(directory, caller.project.companyId, authors);
    return rows.map(({ createdBySub, ...row }) => ({
      ...row,
      createdByName: names.get(createdBySub) ?? null,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      canChange: mayChange(caller, { createdBySub, ...row }),
    }));
  }

  async function presentOne(caller: Caller, row: AnnotationRow): Promise<Annotation> {
    const [annotation] = await present(caller, [row]);
    if (annotation === undefined) throw new Error('stored annotation not found');
    return annotation;
  }

  async function fromDefinition(caller: Caller, { reportId, startsOn, ...definition }: AnnotationDefinition) {
    if (reportId != null) await requireReport(directory, caller.project.id, reportId);
    return {
      reportId: reportId ?? null,
      startsOn,
      endsOn: definition.endsOn ?? startsOn,
      text: definition.text,
      tags: [...new Set(definition.tags)],
      updatedAt: clock.now(),
    };
  }

  return {
    async *list(caller, range) {
      if (range.reportId !== undefined) await requireReport(directory, caller.project.id, range.reportId);
      let rows: AnnotationRow[] | undefined;
      do {
        rows = await store.overlapping(caller.project.id, range, PAGE_SIZE, rows?.at(-1));
        yield await present(caller, rows);
      } while (rows.length === PAGE_SIZE);
    },

    async listNotes(projectId, range, limit) {
      const rows = await store.overlapping(projectId, range, limit);
      return rows.map(({ startsOn, endsOn, text, tags }) => ({ startsOn, endsOn, text, tags }));
    },

    async add(change, caller, definition) {
      const content = await fromDefinition(caller, definition);
      const row = {
        ...content,
        id: newId('ann'),
        createdBySub: caller.person.sub,
        createdAt: content.updatedAt,
      };
      change.describe({ object: `annotation:${row.id}` });
      await store.add(caller.project.id, row, change);
      return presentOne(caller, row);
    },

    async change(change, caller, id, definition) {
      const row = await store.find(caller.project.id, id);
      if (row !== undefined) requireMayChange(caller, row);
      const content = await fromDefinition(caller, definition);
      const changed = row && (await store.change(caller.project.id, id, content, change));
      if (changed === undefined) throw new NotFound('Annotation not found.');
      return presentOne(caller, changed);
    },

    async remove(change, caller, id) {
      const row = await store.find(caller.project.id, id);
      if (row === undefined) return change.record();
      requireMayChange(caller, row);
      await store.remove(caller.project.id, id, change);
    },
  };
}
