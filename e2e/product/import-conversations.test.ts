import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runInProcess } from '@switchboard/cli/testing';
import { createClient } from '@switchboard/management';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { picture } from '../harness/picture.ts';
import { REPOSITORY } from '../harness/repository.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
let folder: string;
let server: Server;
let chatwoot: string;
let downloads = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-import-conversations-'));
  server = createServer((request, response) => {
    downloads += 1;
    if (request.url === '/redirect/receipt.png') response.writeHead(302, { Location: '/receipt.png' }).end();
    else if (request.url === '/receipt.png') response.end(picture);
    else if (request.url === '/page.html') response.end('<h1>Hello</h1>');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  chatwoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const importFrom = (product: string, ...args: string[]) =>
  runInProcess(['import', 'conversations', product, ...args, '--project', running.demo.project_id], {
    SWITCHBOARD_URL: running.demo.management_url,
    SWITCHBOARD_INGESTION_URL: running.demo.eu_api_url,
    SWITCHBOARD_TOKEN: running.demo.tokens.operator,
  });
async function report(product: string, ...args: string[]) {
  const { out, err } = await importFrom(product, ...args, '--json');
  expect(err).toBe('');
  return JSON.parse(out);
}
const client = () => createClient({ url: running.demo.management_url, token: running.demo.tokens.operator });

async function conversationsOf(distinctId: string) {
  const params = { projectId: running.demo.project_id };
  const { conversations } = await client().call('listConversations', { params, query: { distinctId } });
  return Promise.all(
    conversations.map(({ id }) => client().call('readConversation', { params: { ...params, id } })),
  );
}

const AT = Math.floor(Date.now() / 1_000) - 40 * 86_400;
const message = (id: number, type: number, changes: object = {}) => ({
  ...{ id, conversation_id: 12, message_type: type, content: `message ${id}`, private: false },
  ...{ created_at: AT + id, sender: { name: 'Grace Hopper', type: 'user' } },
  ...changes,
});

test('an export of Chatwoot opens as conversations, and importing again adds new messages', async () => {
  const conversation = {
    meta: {
      sender: {
        ...{ id: 7, name: 'Ada Imported', email: 'ada.imported@example.com', identifier: 'ada-imported' },
        ...{ custom_attributes: { plan: 'pro' }, last_activity_at: AT },
      },
    },
    ...{
      id: 12,
      account_id: 1,
      status: 'open',
      priority: 'urgent',
      labels: ['Refund', 'VIP'],
      created_at: AT,
    },
    messages: [message(4, 2, { content: 'Grace Hopper was assigned' })],
  };
  const files = [
    { file_type: 'image', data_url: `${chatwoot}/redirect/receipt.png` },
    { file_type: 'file', data_url: `${chatwoot}/page.html` },
    { file_type: 'file', data_url: `${chatwoot}/gone.pdf` },
  ];
  const messages = [
    message(1, 0, { content: 'Where is my refund?', sender: { name: 'Ada', type: 'contact' } }),
    message(2, 1, { attachments: files }),
    message(3, 1, { private: true, content: 'Refund by hand.' }),
  ];
  await writeFile(join(folder, 'list.json'), JSON.stringify({ data: { payload: [conversation] } }));
  await writeFile(
    join(folder, 'messages.json.gz'),
    gzipSync(JSON.stringify({ meta: {}, payload: messages })),
  );

  expect(await report('chatwoot', folder, '--dry-run')).toMatchObject({ imported: 1, turns: 3, notes: 1 });
  expect(await conversationsOf('ada-imported')).toEqual([]);
  const guarded = await importFrom('chatwoot', folder, '--dry-run', '--private-networks', 'home');
  expect(guarded.err).toContain('--private-networks: give networks such as');

  const first = await report('chatwoot', folder, '--private-networks', '127.0.0.0/8');
  expect(first).toMatchObject({
    ...{ files: 2, imported: 1, known: 0, turns: 3, notes: 1, attachments: 1, people: 1, refused: [] },
    leftOut: [
      { kind: 'attachment: its type is not kept', first: `${join(folder, 'list.json')}:1 page.html` },
      { kind: 'attachment: its address answers 404' },
    ],
  });
  const [stored] = await conversationsOf('ada-imported');
  expect(stored).toMatchObject({
    ...{ status: 'open', priority: 'urgent', importedFrom: 'chatwoot', waitingSince: null },
    labelIds: { length: 2 },
    turns: [
      { authorKind: 'visitor', body: 'Where is my refund?' },
      {
        ...{ authorKind: 'teammate', authorName: 'Grace Hopper' },
        attachments: [{ name: 'receipt.png', contentType: 'image/png' }],
        body: [
          'message 2',
          '[page.html: not imported, its type is not kept]',
          '[gone.pdf: not imported, its address answers 404]',
        ].join('\n'),
      },
      { authorKind: 'system', body: 'Grace Hopper was assigned' },
    ],
    notes: [{ authorName: 'Grace Hopper', body: 'Refund by hand.' }],
    contact: { email: 'ada.imported@example.com' },
  });
  const person = () =>
    fetch(`${running.demo.base_url}/v1/projects/${running.demo.project_id}/people/ada-imported`, {
      headers: { Authorization: `Bearer ${running.demo.tokens.owner}` },
    }).then((answer) => answer.json());
  await eventually(async () =>
    expect(await person()).toMatchObject({ traits: { name: 'Ada Imported', plan: 'pro' } }),
  );

  downloads = 0;
  await writeFile(join(folder, 'more.jsonl'), `${JSON.stringify(message(5, 0))}\n`);
  const again = await report('chatwoot', folder, '--private-networks', '127.0.0.0/8');
  expect(again).toMatchObject({ imported: 0, known: 1, turns: 1, notes: 0, attachments: 0, leftOut: [] });
  expect(downloads).toBe(0);
  expect((await conversationsOf('ada-imported'))[0]?.turns).toHaveLength(4);
});

test('attachments at private addresses are named but not downloaded', async () => {
  downloads = 0;
  const file = join(folder, 'private.jsonl');
  const conversation = {
    id: 13,
    account_id: 1,
    meta: { sender: { id: 8 } },
    status: 'resolved',
    created_at: AT,
  };
  const attachments = [{ file_type: 'image', data_url: `${chatwoot}/receipt.png` }];
  const lines = [conversation, message(1, 0, { conversation_id: 13, attachments })];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const { code, out } = await importFrom('chatwoot', file);
  expect(code).toBe(0);
  expect(out).toContain('1 left out: attachment: its address is private; see --private-networks');
  expect(out).toContain('1 conversations imported, 0 already there, 0 refused; 1 turns, 0 notes');
  const [stored] = await conversationsOf('chatwoot-8');
  expect(stored?.turns[0]?.body).toContain('[receipt.png: not imported, its address is private');
  expect(downloads).toBe(0);
});

test('an export of Intercom opens as conversations', async () => {
  const file = join(folder, 'intercom.json');
  const author = { type: 'admin', id: '3', name: 'Grace Hopper' };
  const conversation = {
    ...{ type: 'conversation', id: '215', created_at: AT, state: 'closed' },
    source: { subject: '', body: '<p>Hello</p>', author: { type: 'lead', id: 'c9' } },
    contacts: { contacts: [{ id: 'c9', external_id: 'intercom-imported' }] },
    conversation_parts: {
      conversation_parts: [
        { id: '1', part_type: 'comment', body: '<p>Hi <b>there</b></p>', created_at: AT + 60, author },
      ],
    },
  };
  await writeFile(file, JSON.stringify([conversation]));
  expect(await report('intercom', file)).toMatchObject({ imported: 1, turns: 2, leftOut: [], refused: [] });
  expect(await conversationsOf('intercom-imported')).toMatchObject([
    { status: 'resolved', importedFrom: 'intercom', turns: [{ body: 'Hello' }, { body: 'Hi there' }] },
  ]);
});

test('the example of the documentation is complete, and other files are refused', async () => {
  const example = join(REPOSITORY, 'packages/tools/cli/examples/chatwoot.json');
  expect(await report('chatwoot', example, '--dry-run')).toMatchObject({
    ...{ imported: 1, turns: 2, notes: 1, people: 1, refused: [], leftOut: [] },
  });
  const { code, err } = await importFrom('intercom', example);
  expect(code).toBe(2);
  expect(err).toContain('no conversations of intercom: source: neither a conversation nor a contact');
  expect((await importFrom('elsewhere', example)).err).toContain('products: chatwoot, intercom');
});
