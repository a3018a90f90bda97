import { expect, test } from 'vitest';
import { readData } from './read-data.ts';

test('reads the data of events, however they are divided into chunks, and omits beats', async () => {
  const text = 'retry: 900\n\ndata: {"a":1}\n\nevent: beat\ndata: {}\n\ndata: "é"\n\ndata: cut';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 3, 1_000]) {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const found: string[] = [];
    for await (const data of readData(body)) found.push(data);
    expect(found).toEqual(['{"a":1}', '"é"']);
  }
});
