import { Readable } from 'node:stream';
import { freeViews, moved } from '@switchboard/engine';
import { serveCalls } from '@switchboard/runtime/threads';
import { decodeRecord } from '../events/decode.ts';
import { encodeSegment } from '../events/encode-segment.ts';
import { buffersOf } from '../events/packed-events.ts';
import type { FileRef } from '../files/calls.ts';
import { type Erased, mergeByRule } from '../files/merge.ts';
import { scanFile } from '../files/scan.ts';
import { encodePart } from '../imports/encode-part.ts';
import { FileGone, type OpenFile, openFile } from '../rows/read.ts';
import type { OwnerCalls, ThreadCalls } from './threads.ts';

/** The entry point of a thread; see `openThreads`. */

const objects: Parameters<typeof openFile>[0] = {
  async get(key, range) {
    const bytes = await owner.get(key, range);
    return bytes && { size: bytes.length, body: Readable.from([bytes]) };
  },
};

const owner = serveCalls<ThreadCalls, OwnerCalls>({
  decode(records) {
    const decoded = records.map(decodeRecord);
    freeViews(records.flatMap(({ value }) => value ?? []));
    return moved(
      decoded,
      decoded.flatMap(({ events }) => buffersOf(events)),
    );
  },
  async encode(segment) {
    const files = await encodeSegment(segment);
    freeViews(segment.records.flatMap(({ events }) => buffersOf(events)));
    return moved(
      files,
      files.map(({ content }) => content),
    );
  },
  async merge(files, rule) {
    const merged = await unlessGone(async () => mergeByRule(await openAll(files), rule));
    return (
      merged &&
      moved(
        merged,
        merged.map(({ bytes }) => bytes),
      )
    );
  },
  encodePart(part) {
    const encoded = encodePart(part);
    return moved(encoded, 'bytes' in encoded ? [encoded.bytes] : []);
  },
  hasErased: (file, erased) => unlessGone(async () => hasErased(await open(file), erased)),
  scan: (file) => unlessGone(async () => scanFile(await open(file))),
});

async function open(file: FileRef): Promise<OpenFile> {
  const opened = await openFile(objects, file);
  if (opened === undefined) throw new FileGone(`${file.key} is not in the object store`);
  return opened;
}

async function openAll(files: readonly FileRef[]): Promise<OpenFile[]> {
  const opened: OpenFile[] = [];
  for (const file of files) opened.push(await open(file));
  return opened;
}

function hasErased(file: OpenFile, { projectId, distinctIds }: Erased): Promise<boolean> {
  return file.hasRows(projectId, (distinctId) => distinctIds === 'all' || distinctIds.has(distinctId));
}

async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileGone) return undefined;
    throw error;
  }
}
