import { call, eventually } from '@switchboard/testkit';
import { expect } from 'vitest';
import type { DemoJson } from './launch.ts';

/** For tests: recordings in rrweb's format, sent as an SDK does. */

export type Node = Record<string, unknown>;

/** Builds nodes with consecutive ids. */
export function nodeFactory(from = 1) {
  let id = from;
  return {
    element: (
      tagName: string,
      attributes: object = {},
      childNodes: Node[] = [],
      more: object = {},
    ): Node => ({
      ...{ type: 2, id: id++, tagName, attributes, childNodes },
      ...more,
    }),
    text: (textContent: string, more: object = {}): Node => ({ type: 3, id: id++, textContent, ...more }),
  };
}

/** Returns the events of a page: its size, and its nodes. */
export function pageEvents(head: Node[], body: Node, timestamp: number, more: object = {}): Node[] {
  const html = {
    ...{ type: 2, id: 900_002, tagName: 'html', attributes: more },
    childNodes: [{ type: 2, id: 900_003, tagName: 'head', attributes: {}, childNodes: head }, body],
  };
  const doctype = { type: 1, id: 900_004, name: 'html', publicId: '', systemId: '' };
  const node = { type: 0, id: 900_001, childNodes: [doctype, html] };
  return [
    { type: 4, timestamp, data: { href: 'https://shop.example/basket', width: 800, height: 600 } },
    { type: 2, timestamp: timestamp + 10, data: { node, initialOffset: { left: 0, top: 0 } } },
  ];
}

/** Returns a change of the page. */
export const mutation = (timestamp: number, data: object): Node => ({
  type: 3,
  timestamp,
  data: { source: 0, adds: [], texts: [], attributes: [], removes: [], ...data },
});

interface SentRecording {
  session: string;
  distinctId: string;
  /** The events of each chunk by seq. */
  chunks: Record<number, unknown[]>;
}

/** Sends a recording, and waits until it is archived. */
export async function sendRecording(
  demo: DemoJson,
  { session, distinctId, chunks }: SentRecording,
): Promise<void> {
  const timestamp = new Date().toISOString();
  for (const [seq, events] of Object.entries(chunks)) {
    const body = {
      ...{ api_key: demo.project_key, distinct_id: distinctId, session_id: session, seq: Number(seq) },
      ...{ masked: true, schema_version: 1, sdk: 'test', timestamp, events },
    };
    const answer = await call('POST', `${demo.eu_replay_url}/v1/replay`, { body, token: demo.project_key });
    expect([answer.status, answer.headers.get('X-Error')]).toEqual([202, null]);
  }
  const url = `${demo.base_url}/v1/projects/${demo.project_id}/replays/${session}`;
  await eventually(
    async () => {
      const { body } = await call('GET', url, { token: demo.tokens.owner });
      expect(body).toMatchObject({ chunks: Object.keys(chunks).length });
    },
    { withinMs: 60_000 },
  );
}
