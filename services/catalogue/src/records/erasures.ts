import { type DirectoryRecord, directoryRecord, erasureSubject } from '@switchboard/directory';

interface OpenErasure {
  id: string;
  /** JSON. */
  subject: string;
  parts: readonly { region: string; service: string; doneAt: Date | null }[];
}

/** Returns the directory entry of an erasure that is not yet complete. */
export function erasureRecord({ id, subject, parts }: OpenErasure): DirectoryRecord {
  const waitingFor = parts
    .filter(({ doneAt }) => doneAt === null)
    .map(({ region, service }) => `${region}/${service}`);
  return directoryRecord('erasure', { id, subject: erasureSubject.parse(JSON.parse(subject)), waitingFor });
}
