import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { documented, eventually, type Received } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useDelivery } from '../testing/harness.ts';

const EXAMPLE = new URL('../../../../docs/examples/n8n.json', import.meta.url);

const workflow = z
  .object({
    nodes: z.array(
      z.object({ name: z.string(), type: z.string(), parameters: z.record(z.string(), z.unknown()) }),
    ),
    connections: z.record(
      z.string(),
      z.object({ main: z.array(z.array(z.object({ node: z.string(), type: z.literal('main') }))) }),
    ),
  })
  .parse(JSON.parse(await readFile(EXAMPLE, 'utf8')));
const CODE = documented('docs/examples/n8n.md#verify-the-signature', 'js');

/** Runs the code of the example as n8n does, with a message that the Webhook node received. */
async function verify({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string) {
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const helpers = { getBinaryDataBuffer: async () => Buffer.from(body) };
  const $input = { first: () => ({ json: { headers } }) };
  const run = new AsyncFunction('$input', '$env', 'require', CODE);
  const env = { SWITCHBOARD_WEBHOOK_SECRET: secret };
  return run.call({ helpers }, $input, env, createRequire(import.meta.url));
}

it('has connected nodes, and the code of the documentation', () => {
  const names = workflow.nodes.map(({ name }) => name);
  const links = Object.entries(workflow.connections).flatMap(([from, { main }]) =>
    main.flat().map(({ node }) => [from, node]),
  );
  expect(links).toEqual(names.slice(1).map((name, at) => [names[at], name]));
  const code = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.code');
  expect(code?.parameters['jsCode']).toBe(CODE.trimEnd());
  const [webhook] = workflow.nodes;
  expect(webhook?.parameters).toMatchObject({ responseMode: 'responseNode', options: { rawBody: true } });
});

it('accepts a message of the webhook, and no other', async () => {
  const delivery = await useDelivery();
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const { path, secret } = await delivery.createWebhook(id, receiver);
  const [eventId] = await delivery.publishEvents(id, [{ properties: { note: 'ünïcode' } }]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  const [message] = receiver.requests as [Received];
  expect(await verify(message, secret)).toMatchObject([
    { json: { id: message.headers['webhook-id'], type: 'event', data: { projectId: id, eventId } } },
  ]);
  const forged = { ...message, body: message.body.replace('paid', 'free') };
  const old = { ...message, headers: { ...message.headers, 'webhook-timestamp': '1700000000' } };
  const unsigned = { ...message, headers: {} };
  for (const other of [forged, old, unsigned])
    await expect(verify(other, secret)).rejects.toThrow('not a message of the webhook');

  await delivery.manage('POST', `${path}/secret`);
  await delivery.manage('POST', `${path}/test`);
  await eventually(() => expect(receiver.requests).toHaveLength(2));
  expect(await verify(receiver.requests[1] ?? message, secret)).toMatchObject([
    { json: { type: 'webhook.test' } },
  ]);
});
