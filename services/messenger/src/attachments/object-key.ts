import { keyPart } from '@switchboard/object-store';

/** Returns the prefix of the object keys of a project's attachments. No other key begins with it. */
export const attachmentsPrefix = (projectId: string) => `attachments/${keyPart(projectId)}/`;
