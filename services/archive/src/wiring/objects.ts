import { openObjects } from '@switchboard/runtime';
import type { Archive } from '../config.ts';

/** Opens the object store twice: for background work, and for requests, which wait less long. */
export function openArchiveObjects(service: Archive) {
  const objects = openObjects(service, 'background');
  const promptObjects = openObjects(service);
  if (objects === undefined || promptObjects === undefined)
    throw new Error('OBJECTS_FOLDER or S3_ENDPOINT: required');
  service.add(objects, { stop: objects.close });
  service.add(promptObjects, { stop: promptObjects.close });
  return { objects, promptObjects };
}
