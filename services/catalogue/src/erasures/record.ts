import { type DirectoryRecord, directoryRecord, type ErasureSubject } from '@switchboard/directory';
import { z } from 'zod';

const subjectSchema: z.ZodType<ErasureSubject> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('person'),
    projectId: z.string(),
    distinctIds: z.array(z.string()),
    userId: z.string().nullable(),
  }),
  z.object({ kind: z.literal('colleague'), sub: z.string() }),
]);

interface OpenErasure {
  id: string;
  /** JSON. */
  subject: string;
  parts: readonly { region: string; service: string; doneAt: Date | null }[];
}

/** The directory's entry of an erasure that some service has not done yet. */
export function erasureRecord({ id, subject, parts }: OpenErasure): DirectoryRecord {
  const waitingFor = parts
    .filter(({ doneAt }) => doneAt === null)
    .map(({ region, service }) => `${region}/${service}`);
  return directoryRecord('erasure', { id, subject: subjectSchema.parse(JSON.parse(subject)), waitingFor });
}
