import type { Annotation, AnnotationDefinition } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { type Clock, Forbidden, NotFound } from '@switchboard/service-kit';
import type { Caller } from '../caller.ts';
import { newId } from '../ids.ts';
import { namesOf } from '../members.ts';
import { requireReport } from '../reports.ts';
import type { AnnotationRow, AnnotationStore, Range } from './store.ts';

/** Permission to change and delete other people's annotations. */
export const WRITE_PERMISSION = 'service.annotations.write';

interface AnnotationsOptions {
  store: AnnotationStore;
  directory: Pick<Directory, 'report' | 'members'>;
  clock: Clock;
}

export function createAnnotations({ store, directory, clock }: AnnotationsOptions) {
  const mayChange = ({ person }: Caller, row: AnnotationRow) =>
    row.createdBySub === person.sub || person.permissions.includes(WRITE_PERMISSION);

  function requireMayChange(caller: Caller, row: AnnotationRow): void {
    if (mayChange(caller, row)) return;
    throw new Forbidden(`This annotation is open to its author and to the permission ${WRITE_PERMISSION}.`);
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
    if (annotation === undefined) throw new Error('an annotation was lost');
    return annotation;
  }

  async function whatWasAsked(caller: Caller, { reportId, startsOn, ...asked }: AnnotationDefinition) {
    if (reportId != null) await requireReport(directory, caller.project.id, reportId);
    return {
      reportId: reportId ?? null,
      startsOn,
      endsOn: asked.endsOn ?? startsOn,
      text: asked.text,
      tags: [...new Set(asked.tags)],
      updatedAt: clock.now(),
    };
  }

  return {
    async list(caller: Caller, range: Range): Promise<Annotation[]> {
      if (range.reportId !== undefined) await requireReport(directory, caller.project.id, range.reportId);
      return present(caller, await store.overlapping(caller.project.id, range));
    },

    async add(caller: Caller, definition: AnnotationDefinition): Promise<Annotation> {
      const asked = await whatWasAsked(caller, definition);
      const row = {
        ...asked,
        id: newId('ann'),
        createdBySub: caller.person.sub,
        createdAt: asked.updatedAt,
      };
      await store.add(caller.project.id, row);
      return presentOne(caller, row);
    },

    async change(caller: Caller, id: string, definition: AnnotationDefinition): Promise<Annotation> {
      const row = await store.find(caller.project.id, id);
      if (row !== undefined) requireMayChange(caller, row);
      const asked = await whatWasAsked(caller, definition);
      const changed = row && (await store.change(caller.project.id, id, asked));
      if (changed === undefined) throw new NotFound('There is no such annotation in this project.');
      return presentOne(caller, changed);
    },

    async remove(caller: Caller, id: string): Promise<void> {
      const row = await store.find(caller.project.id, id);
      if (row === undefined) return;
      requireMayChange(caller, row);
      await store.remove(caller.project.id, id);
    },
  };
}
