import {
  CONVERSATION_IMPORT_LIMITS,
  type ImportedConversation,
  type ImportedFrom,
} from '@switchboard/contracts';
import type { Client } from '@switchboard/management';
import { type Counted, createCounts } from '../imports/counts.ts';
import type { People } from '../imports/people.ts';
import { readFault } from '../imports/read-fault.ts';
import type { Input } from '../imports/reading/inputs.ts';
import { Refused } from '../imports/refused.ts';
import { UsageError } from '../terminal/terminal.ts';
import { recordsIn } from './records.ts';
import type { Files } from './sending/files.ts';
import { openLabels } from './sending/labels.ts';
import { type Shaped, shape, withLines } from './sending/shape.ts';
import type { ConversationSource, SourceConversation } from './sources/source.ts';

interface ImportOptions {
  client: Client;
  projectId: string;
  product: ImportedFrom;
  source: ConversationSource;
  /** Reads and converts without sending. */
  dryRun: boolean;
  files: Files;
  people(onRefused: (reason: string, place: string) => void): People;
  onProgress?(progress: { conversations: number; of: number }): void;
}

export interface ImportedConversations {
  files: number;
  /** Conversations that this run imported, or would import. */
  imported: number;
  /** Conversations of earlier runs. */
  known: number;
  turns: number;
  notes: number;
  attachments: number;
  /** Calls with traits. */
  people: number;
  /** Records that are not imported, and why. */
  refused: Counted[];
  /** Parts that are not kept. */
  leftOut: Counted[];
}

/** The records of all files are in memory, because the parts of a conversation may be in several. */
const MAX_BYTES = 400_000_000;
const TIMEOUT_MS = 120_000;
/** Less than a request may have. */
const MAX_BATCH_BYTES = 4_000_000;

/** Imports the conversations of files. Importing again resumes. Throws UsageError and ManagementError. */
export async function importConversations(
  inputs: AsyncIterable<Input>,
  options: ImportOptions,
): Promise<ImportedConversations> {
  const { client, projectId, product, dryRun, files, onProgress } = options;
  const [refused, leftOut] = [createCounts(), createCounts()];
  const people = options.people(refused.add);
  const report = { files: 0, imported: 0, known: 0, turns: 0, notes: 0, attachments: 0 };

  async function read(): Promise<SourceConversation[]> {
    const collector = options.source(leftOut.add);
    let bytesLeft = MAX_BYTES;
    for await (const input of inputs) {
      const stream = await input.open();
      try {
        const { records, bytes } = await recordsIn(stream, input.place, bytesLeft);
        bytesLeft -= bytes;
        for (const found of records) {
          if ('fault' in found) refused.add(found.fault, found.place);
          else add(found.record, found.place);
        }
      } catch (error) {
        throw readFault(error, input.place);
      } finally {
        stream.destroy();
      }
      report.files += 1;
    }
    function add(record: Record<string, unknown>, place: string): void {
      try {
        collector.add(record, place);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refused.add(error.message, place);
      }
    }
    return collector.conversations(refused.add);
  }

  async function send(batch: readonly Shaped[]): Promise<ImportedConversation[]> {
    const body = { source: product, dryRun, conversations: batch.map((one) => one.body) };
    const { conversations } = await client.call(
      'importConversations',
      { params: { projectId }, body },
      { timeoutMs: TIMEOUT_MS },
    );
    return conversations;
  }

  function count({ source: { place } }: Shaped, result: ImportedConversation, isFirst: boolean): void {
    report.turns += result.turns;
    report.notes += result.notes;
    for (let index = 0; index < result.full; index++)
      leftOut.add('turn or note: the conversation is full', place);
    if (!isFirst) return;
    if (result.outcome === 'expired')
      leftOut.add('conversation: older than the retention of conversations', place);
    else if (result.outcome === 'new') report.imported += 1;
    else report.known += 1;
  }

  /** Copies the files of the turns that wait for them, and adds these turns. */
  async function complete(shaped: Shaped, conversationId: string, waitingFor: readonly string[]) {
    const { body, source } = shaped;
    const turns = [];
    for (const turn of body.turns) {
      const wanted = waitingFor.includes(turn.externalId) ? (shaped.files.get(turn.externalId) ?? []) : [];
      if (wanted.length === 0) {
        turns.push(turn);
        continue;
      }
      const attachmentIds: string[] = [];
      const lost: { name: string; reason: string }[] = [];
      for (const file of wanted) {
        const copied = await files.copy(conversationId, file);
        if ('id' in copied) attachmentIds.push(copied.id);
        else {
          lost.push({ name: file.name, reason: copied.reason });
          leftOut.add(`attachment: ${copied.reason}`, `${source.place} ${file.name}`);
        }
      }
      report.attachments += attachmentIds.length;
      const text = withLines(turn.body, lost, CONVERSATION_IMPORT_LIMITS.bodyCharacters);
      turns.push({ ...turn, attachmentIds, body: text });
    }
    const completed = { ...shaped, body: { ...body, turns } };
    for (const result of await send([completed])) count(completed, result, false);
  }

  async function importBatch(batch: readonly Shaped[]): Promise<void> {
    const results = await send(dryRun ? batch.map(withoutFiles) : batch);
    for (const [index, result] of results.entries()) {
      const shaped = batch[index];
      if (shaped === undefined) continue;
      count(shaped, result, true);
      if (result.outcome === 'expired') continue;
      const { distinctId, traits, traitsAt, place } = shaped.source;
      if (Object.keys(traits).length > 0) {
        const call = { distinct_id: distinctId, timestamp: traitsAt, properties: traits };
        await people.add({ kind: 'identify', call }, place);
      }
      if (result.conversationId !== null && result.waitingFor.length > 0)
        await complete(shaped, result.conversationId, result.waitingFor);
    }
  }

  const found = await read();
  if (found.length === 0 && refused.list().length > 0) {
    const [first] = refused.list();
    throw new UsageError(`${first?.first}: no conversations of ${product}: ${first?.kind}`);
  }
  const labelIds = await openLabels(found, { client, projectId, dryRun, lose: leftOut.add });
  let done = 0;
  for (const batch of batchesOf(found, (one) =>
    shape(one, labelIds, (what) => leftOut.add(what, one.place)),
  )) {
    await importBatch(batch);
    done += batch.length;
    onProgress?.({ conversations: done, of: found.length });
  }
  await people.finish();
  return { ...report, people: people.count(), refused: refused.list(), leftOut: leftOut.list() };
}

/** A rehearsal copies no files. */
function withoutFiles(shaped: Shaped): Shaped {
  const turns = shaped.body.turns.map((turn) =>
    turn.attachmentIds === null ? { ...turn, attachmentIds: [], body: turn.body || 'files' } : turn,
  );
  return { ...shaped, body: { ...shaped.body, turns } };
}

function* batchesOf(
  conversations: readonly SourceConversation[],
  toShaped: (conversation: SourceConversation) => Shaped,
): Generator<Shaped[]> {
  let [batch, bytes] = [[] as Shaped[], 0];
  for (const conversation of conversations) {
    const shaped = toShaped(conversation);
    const size = Buffer.byteLength(JSON.stringify(shaped.body));
    const isFull =
      batch.length === CONVERSATION_IMPORT_LIMITS.conversations || bytes + size > MAX_BATCH_BYTES;
    if (isFull && batch.length > 0) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(shaped);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
