import { keyPart } from '@switchboard/object-store';

/** What the object keys of a project's attachments begin with, and no others. */
export const attachmentsPrefix = (projectId: string) => `attachments/${keyPart(projectId)}/`;
