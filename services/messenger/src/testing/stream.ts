import { eventually } from '@switchboard/testkit';
import { expect } from 'vitest';
import type { TestProject } from './projects.ts';

interface Change {
  kind: string;
  conversationId: string;
  state?: string;
  sub?: string | null;
}

/** Opens an agent's stream of conversations, and collects its changes. */
export async function openStream(url: string, of: TestProject, token: string) {
  const closing = new AbortController();
  const response = await fetch(`${url}/v1/projects/${of.id}/live-conversations`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: closing.signal,
  });
  expect(response.status).toBe(200);
  const changes: Change[] = [];
  let isReady = false;
  const reading = (async () => {
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const message = JSON.parse(data);
        if (message.type === 'ready') isReady = true;
        changes.push(...(message.changes ?? []));
      }
    }
  })().catch(() => undefined);
  await eventually(() => expect(isReady).toBe(true));
  return {
    changes,
    async close() {
      closing.abort();
      await reading;
    },
  };
}
