import { beforeAll, describe, expect, test } from 'vitest';
import { gif, pdf, png } from '../testing/files.ts';
import { useMessenger } from '../testing/messenger.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';

const messenger = await useMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
let visitor: Visitor;
beforeAll(async () => {
  visitor = visitorOf(messenger, await messenger.createProject());
});

describe('attachments sent with a turn', () => {
  test('accepts up to three attachments, in the given order, and returns their paths', async () => {
    const conversation = await visitor.open();
    const files = [];
    for (const raw of [png(), pdf, gif()]) files.push((await visitor.upload(conversation, raw)).body);
    const ids = files.map(({ id }) => id).toReversed();
    const { status, body } = await visitor.send(conversation, { body: '', attachmentIds: ids });
    expect(status).toBe(201);
    expect(body.turn.attachments).toEqual(
      files
        .toReversed()
        .map((file) => ({ ...file, url: `/v1/conversations/${conversation.id}/attachments/${file.id}` })),
    );
    expect((await visitor.read(conversation)).body.turns).toEqual([body.turn]);
  });

  test('refuses an attachment of another conversation and one already sent alike, and stores nothing', async () => {
    const [conversation, other] = [await visitor.open(), await visitor.open()];
    const [free, sent] = [
      await visitor.upload(conversation, png()),
      await visitor.upload(conversation, png()),
    ];
    const foreign = await visitor.upload(other, png());
    await visitor.send(conversation, { body: '', attachmentIds: [sent.body.id] });
    const before = (await visitor.read(conversation)).bytes;
    const refused = [];
    for (const id of [sent.body.id, foreign.body.id, 'att_0', free.body.id]) {
      refused.push(await visitor.send(conversation, { body: 'x', attachmentIds: [free.body.id, id] }));
    }
    for (const answer of refused) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(refused[0]?.body);
    }
    expect((await visitor.read(conversation)).bytes.equals(before)).toBe(true);
    const taken = await visitor.send(conversation, { body: 'x', attachmentIds: [free.body.id] });
    expect(taken.status).toBe(201);
  });

  test('sends an attachment once if several turns name it concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const conversation = await visitor.open();
      const { body } = await visitor.upload(conversation, png());
      const turn = { body: '', attachmentIds: [body.id] };
      const answers = await Promise.all(Array.from({ length: 4 }, () => visitor.send(conversation, turn)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      expect((await visitor.read(conversation)).body.turns).toHaveLength(1);
    }
  });
});
