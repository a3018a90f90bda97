import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { picture } from '../harness/picture.ts';
import { type AllServices, COMPANY, PROJECT, pushKeys, REPORT } from './deployment.ts';

const at = new Date().toISOString();

/** Returns a picture that is unique to a person. PNG readers ignore bytes after the end of the image. */
const pictureOf = (name: string) => new Uint8Array([...picture, ...Buffer.from(name)]);

/** Adds data of a person to every store. All data that names or quotes the person contains `name`. */
export async function addPerson({ call, manage, key }: AllServices, name: string): Promise<void> {
  const distinctId = `visitor ${name}`;
  const userId = `user ${name}`;
  const asVisitor = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call('messenger', method, path, { token: key, body, ...(headers === undefined ? {} : { headers }) });
  const ingest = (path: string, body: unknown) => call('ingestion', 'POST', path, { token: key, body });

  await addWebhook({ manage });
  await addAlert({ manage });
  await manage('flags', 'PUT', `/projects/${PROJECT}/cohorts/of-${name.at(0)}`, {
    name: 'Beta',
    distinctIds: [distinctId],
  });
  await manage('flags', 'PUT', `/projects/${PROJECT}/cohorts/did-of-${name.at(0)}`, {
    name: 'Not buyers',
    did: [{ event: `bought by ${name.at(0)}`, count: { eq: 0 }, within: { days: 7 } }],
  });
  await ingest('/v1/identify', {
    distinct_id: distinctId,
    properties: { email: `${name}@example.com`, anonymous_id: `anonymous ${name}` },
  });
  await ingest('/v1/group', { distinct_id: distinctId, properties: { group_id: 'south' } });
  await ingest('/v1/replay', {
    api_key: key,
    distinct_id: distinctId,
    events: [{ type: 4, data: { href: `https://example.com/${name}` }, timestamp: Date.parse(at) }],
    masked: true,
    schema_version: 1,
    seq: 0,
    session_id: `session of ${name.at(0)}`,
    timestamp: at,
  });
  await addEvents({ call, key }, name, 3);
  await computeCohorts({ manage }, name);
  await watchCohort({ manage }, name);

  const opened = await asVisitor('POST', '/v1/conversations', {
    distinctId,
    userId,
    subject: name,
    email: `${name}@example.com`,
  });
  const headers = { 'X-Service-Conversation-Token': opened.token };
  const conversation = `/v1/conversations/${opened.conversationId}`;
  const file = await asVisitor(
    'POST',
    `${conversation}/attachments?name=${name}.png`,
    pictureOf(name),
    headers,
  );
  await asVisitor(
    'POST',
    `${conversation}/turns`,
    { body: `I am ${name}`, attachmentIds: [file.id] },
    headers,
  );
  // Identified by user id only, as from another device.
  await manage('messenger', 'POST', `/projects/${PROJECT}/conversations/${opened.conversationId}/notes`, {
    body: `A note about ${name}`,
  });
  const ofProject = `/projects/${PROJECT}`;
  const settings = await manage('messenger', 'GET', `${ofProject}/support-settings`);
  await manage('messenger', 'PUT', `${ofProject}/support-settings`, { ...settings, asksSatisfaction: true });
  await manage('messenger', 'PUT', `${ofProject}/conversations/${opened.conversationId}/status`, {
    status: 'resolved',
  });
  const said = {
    externalId: '1',
    authorName: name,
    body: `I was ${name}`,
    createdAt: '2026-01-01T00:00:00Z',
  };
  const old = { externalId: name, distinctId, email: `${name}@example.org`, subject: name, status: 'open' };
  await manage('messenger', 'POST', `${ofProject}/conversation-imports`, {
    source: 'chatwoot',
    conversations: [
      {
        ...{ ...old, createdAt: said.createdAt },
        ...{ turns: [{ ...said, authorKind: 'visitor' }], notes: [said] },
      },
    ],
  });
  const rating = { score: 5, comment: `${name} is happy` };
  await asVisitor('POST', `${conversation}/satisfaction`, rating, headers);
  await asVisitor('POST', '/v1/conversations', { distinctId: `device of ${name.at(0)}`, userId });

  const messages = `/projects/${PROJECT}/messages`;
  const toThem = { title: 'Hello', body: `Dear ${name}`, distinctIds: [distinctId] };
  await manage('messenger', 'POST', messages, toThem, { 'Idempotency-Key': `to ${name.at(0)}` });
  const toAll = await manage('messenger', 'POST', messages, { title: 'News', body: 'For everyone' });
  await asVisitor('POST', '/v1/messages/read', { distinct_id: distinctId, message_id: toAll.id });
}

/** Adds a webhook. Its messages name people and colleagues; nothing listens at its address. */
async function addWebhook({ manage }: Pick<AllServices, 'manage'>): Promise<void> {
  await manage('delivery', 'PUT', `/projects/${PROJECT}/webhooks/all`, {
    url: 'https://hooks.invalid/',
    types: ['event', 'audit', 'conversation.opened', 'conversation.turn', 'conversation.resolved'],
    events: [{ event: 'seen' }],
  });
}

/** Adds a webhook for a cohort with the person, and waits until its members are stored. */
async function watchCohort({ manage }: Pick<AllServices, 'manage'>, name: string): Promise<void> {
  const path = `/projects/${PROJECT}/webhooks/of-${name.at(0)}`;
  const cohorts = [`of-${name.at(0)}`];
  await manage('delivery', 'PUT', path, { url: 'https://hooks.invalid/', types: ['cohort.left'], cohorts });
  await eventually(
    async () => {
      const { watched } = await manage('delivery', 'GET', path);
      if (watched[0].members !== 1) throw new Error('not compared yet');
    },
    { withinMs: 60_000 },
  );
}

/** Adds an alert that fires at once, since nothing sends its event. */
async function addAlert({ manage }: Pick<AllServices, 'manage'>): Promise<void> {
  await manage('analytics', 'PUT', `/projects/${PROJECT}/alerts/silence`, {
    name: 'Silence',
    query: {
      kind: 'trends',
      range: { last: 1, unit: 'day' },
      interval: 'hour',
      series: [{ event: 'never sent' }],
    },
    rule: { kind: 'missing' },
  });
  await eventually(async () => {
    const { incidents } = await manage('analytics', 'GET', `/projects/${PROJECT}/alerts/silence`);
    if (incidents.length === 0) throw new Error('no incident yet');
  });
}

/** Computes the list of a cohort until it contains the person. */
async function computeCohorts({ manage }: Pick<AllServices, 'manage'>, name: string): Promise<void> {
  const path = `/projects/${PROJECT}/cohorts/did-of-${name.at(0)}`;
  await eventually(
    async () => {
      await manage('analytics', 'POST', `${path}/compute`);
      const { list } = await manage('flags', 'GET', path);
      if (list.size === 0) throw new Error('no one is in the list');
    },
    { withinMs: 60_000 },
  );
}

/** Adds events of a person. They are the last data to reach the archive's files. */
export function addEvents({ call, key }: Pick<AllServices, 'call' | 'key'>, name: string, count: number) {
  const events = Array.from({ length: count }, (_, index) => ({
    distinct_id: `visitor ${name}`,
    event_id: `${name.at(0)}-${Date.now()}-${index}`,
    event_name: 'seen',
    schema_version: 1,
    timestamp: at,
    properties: { email: `${name}@example.com` },
  }));
  return call('ingestion', 'POST', '/v1/events', { token: key, body: { api_key: key, events, sent_at: at } });
}

/** Records a run of a report with a cohort and rows that contain the name. */
export async function addRun({ manage, harness }: AllServices, name: string, report = REPORT): Promise<void> {
  await manage('catalogue', 'PUT', `/projects/${PROJECT}/reports/${report}`, { name: 'Report' });
  await manage('collaboration', 'POST', `/projects/${PROJECT}/reports/${report}/runs`, {
    report: { rows: [{ who: `visitor ${name}`, orders: 2 }] },
    cohort: { people: [`visitor ${name}`] },
  });
  // Adds a later run with a query that contains the name.
  const database = openDatabase({ url: await harness.databaseUrl('collaboration'), applicationName: 'test' });
  await database.sql`
    insert into report_run_failures (project_id, report_id, run_id, failed_at, code, message)
    values (${PROJECT}, ${report}, gen_random_uuid()::text, now(), 'invalid', ${`where: visitor ${name}`})`;
  await database.close();
}

/** Adds members to the company. */
export async function addMembers({ manage }: AllServices, names: readonly string[]): Promise<void> {
  for (const name of names)
    await manage('catalogue', 'PUT', `/companies/${COMPANY}/members/sub-${name}`, {
      name: `${name} Example`,
      email: `${name}@example.com`,
      role: 'editor',
      pushSubscriptions: [{ endpoint: `https://push.invalid/${name}`, keys: pushKeys() }],
    });
}

/** Adds data of a colleague to every store. Another member, who works with the colleague, has the same data. */
export async function addColleague(
  { call, manage, harness, key }: AllServices,
  name: string,
  other: string,
): Promise<void> {
  const [token, others] = await Promise.all([
    harness.mint({ sub: `sub-${name}` }),
    harness.mint({ sub: `sub-${other}` }),
  ]);
  const project = `/v1/projects/${PROJECT}`;
  const report = `${project}/reports/${REPORT}`;
  const as = (who: string, method: string, path: string, body?: unknown) =>
    call('collaboration', method, path, { token: who, body });

  const annotation = { startsOn: '2026-03-01', text: `By ${name}`, tags: ['launch'] };
  await as(token, 'POST', `${project}/annotations`, annotation);
  const own = await as(token, 'POST', `${report}/comment-threads`, { body: `From ${name}` });
  await as(others, 'POST', `${project}/comment-threads/${own.id}/comments`, {
    body: 'An answer',
    mentions: [`sub-${name}`, `sub-${other}`],
  });
  await as(others, 'PUT', `${project}/comments/${own.comments[0].id}/reactions/${encodeURIComponent('👍')}`);
  const theirs = await as(others, 'POST', `${report}/comment-threads`, { body: 'Another thread' });
  await as(
    token,
    'PUT',
    `${project}/comments/${theirs.comments[0].id}/reactions/${encodeURIComponent('👍')}`,
  );
  await as(token, 'PUT', `${project}/comment-threads/${theirs.id}/resolution`);
  // Marks them as read.
  await as(token, 'GET', `${report}/comment-threads`);
  const link = `https://console.example/projects/${PROJECT}/reports/${REPORT}`;
  const share = (to: string) => ({ recipients: [`sub-${to}`], link, language: 'en', note: `With ${name}` });
  await as(token, 'POST', `${report}/shares`, share(other));
  await as(others, 'POST', `${report}/shares`, share(name));
  const subscription = `${project}/subscriptions/of-${name.at(0)}`;
  await as(token, 'PUT', subscription, {
    target: { kind: 'report', id: REPORT },
    schedule: { every: 'day', at: '08:30', timeZone: 'UTC' },
    recipients: [`sub-${name}`, `sub-${other}`],
    channels: [{ kind: 'slack', url: 'https://chat.invalid/services/T0/B0/secret' }],
  });
  await manage('collaboration', 'POST', `/projects/${PROJECT}/reports/${REPORT}/runs`, {
    report: { rows: [] },
  });
  await as(token, 'POST', `${subscription}/send`);

  const editor = await harness.mint({ sub: `sub-${name}`, permissions: ['service.manage'] });
  for (const kind of ['personal', 'service']) {
    const body = { name: 'automation', kind, permissions: ['flags.read'] };
    await call('catalogue', 'POST', `/management/v1/companies/${COMPANY}/tokens`, { token: editor, body });
  }
  const dashboard = `/management/v1/projects/${PROJECT}/dashboards/of-${name.at(0)}`;
  await call('collaboration', 'PUT', dashboard, { token: editor, body: { name: 'Board' } });
  await call('flags', 'PUT', `/management/v1/projects/${PROJECT}/flags/of-${name.at(0)}`, {
    token: editor,
    body: { enabled: true, rolloutPercentage: 100 },
  });
  await call('flags', 'POST', `/management/v1/projects/${PROJECT}/flags/of-${name.at(0)}/hooks`, {
    token: editor,
    body: { name: 'Monitor' },
  });
  await call('flags', 'POST', `/management/v1/projects/${PROJECT}/scheduled-changes`, {
    token: editor,
    body: {
      key: `of-${name.at(0)}`,
      at: new Date(Date.now() + 3_600_000).toISOString(),
      patch: { enabled: false },
    },
  });
  const requests = `/management/v1/projects/${PROJECT}/change-requests`;
  await call('flags', 'POST', requests, {
    token: editor,
    body: { key: `of-${name.at(0)}`, patch: { rolloutPercentage: 50 } },
  });
  const asked = await call('flags', 'POST', requests, {
    token: await harness.mint({ sub: `sub-${other}`, permissions: ['service.manage'] }),
    body: { key: `approved-by-${name.at(0)}`, flag: { enabled: true, rolloutPercentage: 100 } },
  });
  await call('flags', 'POST', `${requests}/${asked.id}/decisions`, {
    token: editor,
    body: { decision: 'approve' },
  });
  await manage('analytics', 'PUT', `/projects/${PROJECT}/dictionary/event/of-${name.at(0)}`, {
    owner: `sub-${name}`,
  });
  const [one, two] = [`phone of ${name.at(0)}`, `laptop of ${name.at(0)}`];
  for (const distinct_id of [one, two])
    await call('ingestion', 'POST', '/v1/identify', { token: key, body: { distinct_id } });
  const joins = `/management/v1/projects/${PROJECT}/people/${encodeURIComponent(one)}/joins`;
  await eventually(() => call('flags', 'POST', joins, { token: editor, body: { distinctId: two } }), {
    withinMs: 30_000,
  });
  await addAccount({ harness }, name);
  await manage('messenger', 'PUT', `/projects/${PROJECT}/team/sub-${name}`, { name: `${name} Example` });
  const avatar = `/projects/${PROJECT}/team/sub-${name}/avatar`;
  await manage('messenger', 'PUT', avatar, pictureOf(name));
  const opened = await call('messenger', 'POST', '/v1/conversations', {
    token: key,
    body: { distinctId: 'somebody' },
  });
  await manage('messenger', 'POST', `/projects/${PROJECT}/conversations/${opened.conversationId}/turns`, {
    authorId: `sub-${name}`,
    body: 'How can we help?',
  });
  const ofProject = `/management/v1/projects/${PROJECT}`;
  const asEditor = (method: string, path: string, body?: object) =>
    call('messenger', method, `${ofProject}${path}`, { token: editor, ...(body && { body }) });
  const settings = await asEditor('GET', '/support-settings');
  const view = { name: 'Theirs', filter: { assigneeId: `sub-${name}` } };
  await asEditor('PUT', '/support-settings', { ...settings, views: [...settings.views, view] });
  await asEditor('POST', '/conversation-changes', {
    conversationIds: [opened.conversationId],
    change: { assigneeId: `sub-${name}` },
  });
  const preferences = await asEditor('GET', '/inbox-preferences');
  await asEditor('PUT', '/inbox-preferences', { ...preferences, desktop: 'mine' });
  const browser = { endpoint: `https://push.invalid/console-${name}`, keys: pushKeys() };
  await asEditor('POST', '/push-subscriptions', browser);
  const conversation = `/conversations/${opened.conversationId}`;
  await asEditor('POST', `${conversation}/notes`, { body: 'Look', mentions: [`sub-${name}`] });
  await asEditor('GET', conversation);
}

/** Adds the rows that the pages of identity and its SCIM would store of a colleague. */
async function addAccount({ harness }: Pick<AllServices, 'harness'>, name: string): Promise<void> {
  const database = openDatabase({ url: await harness.databaseUrl('identity'), applicationName: 'test' });
  const { sql } = database;
  const [id, user, email] = [`sub-${name}`, `scu_${name}`, `${name}@example.com`];
  const invitation = JSON.stringify({ companyId: COMPANY, role: 'viewer', email });
  await sql`insert into accounts (id, email, name) values (${id}, ${email}, ${`${name} Example`})`;
  await sql`insert into passkeys (id, account_id, public_key, counter, name) values (${name}, ${id}, '', 0, 'Phone')`;
  await sql`insert into recovery_codes values (${id}, 'hash')`;
  await sql`insert into sessions values (${name}, 'id', ${id}, '[]', 'agent', '192.0.2.1', now(), now() + interval '1 day')`;
  await sql`
    insert into oidc_records (kind, hash, payload, account_id, expires_at)
    values ('RefreshToken', ${name}, 'encrypted', ${id}, now() + interval '1 day')`;
  await sql`
    insert into tickets values
      (${`to ${name}`}, 'invitation', 'sub-other', ${invitation}, now() + interval '1 day'),
      (${`for ${name}`}, 'reset', ${id}, '{}', now() + interval '1 day')`;
  await sql`
    insert into scim_users (company_id, id, account_id, user_name, attributes, created_at, updated_at)
    values (${COMPANY}, ${user}, ${id}, ${email}, ${JSON.stringify({ userName: email })}, now(), now())`;
  await sql`
    insert into scim_groups (company_id, id, group_name, attributes, created_at, updated_at)
    values (${COMPANY}, 'scg_1', 'team', '{"displayName": "Team"}', now(), now()) on conflict do nothing`;
  await sql`insert into scim_group_members values (${COMPANY}, 'scg_1', ${user})`;
  await sql`
    insert into upstream_accounts
    values (${`company/${COMPANY}`}, 'https://login.example', ${name}, ${id}, now())`;
  await database.close();
}

/** Adds the other data of a project, besides people and colleagues, to every table that has rows of a project. */
export async function addProjectData(all: AllServices, member: string): Promise<void> {
  const { call, manage, harness, key } = all;
  const token = await harness.mint({ sub: `sub-${member}` });
  const group = {
    distinct_id: 'visitor in a group',
    properties: { group_id: 'north', plan: 'pro' },
  };
  await call('ingestion', 'POST', '/v1/group', { token: key, body: group });
  await harness.call('ingestion', 'POST', '/v1/group', { token: key, body: {} });
  const in30Days = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await call('collaboration', 'PUT', `/v1/projects/${PROJECT}/reports/${REPORT}/public-link`, {
    token,
    body: { expiresOn: in30Days },
  });
  await manage('collaboration', 'PUT', `/projects/${PROJECT}/dashboards/shared`, { name: 'Shared' });
  await call('collaboration', 'PUT', `/v1/projects/${PROJECT}/dashboards/shared/public-link`, {
    token,
    body: { expiresOn: in30Days },
  });
  await manage('catalogue', 'PUT', `/throttles/${PROJECT}`, { eventsPerSecond: 1_000 });
  await manage('catalogue', 'PUT', `/projects/${PROJECT}/reports/refreshed`, {
    name: 'Refreshed',
    query: { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'seen' }] },
    refresh: 'hourly',
  });
  await manage('messenger', 'POST', `/projects/${PROJECT}/identity-secrets`);
  await manage('catalogue', 'POST', `/companies/${COMPANY}/tokens`, {
    name: 'limited',
    kind: 'service',
    permissions: ['flags.read'],
    projectIds: [PROJECT],
  });
  await manage('collaboration', 'POST', `/projects/${PROJECT}/reports/${REPORT}/runs`, {
    report: { rows: [] },
    cohort: { id: 'beta' },
  });
  await addDeadLetter(all);
  // Adds the rows that the project's own help centre, AI and console would store.
  const database = openDatabase({ url: await harness.databaseUrl('messenger'), applicationName: 'test' });
  await database.sql`insert into configurations values (${PROJECT}, '{}')`;
  await database.sql`insert into article_searches values (${PROJECT}, false, 'tab')`;
  await database.sql`
    insert into help_sites (project_id, url, articles, languages, capped, last_read_at)
    values (${PROJECT}, 'https://help.example', 3, '["en"]', false, now())`;
  await database.sql`insert into translated_bytes values (${COMPANY}, '2026-03', 12)`;
  await database.close();
  const identity = openDatabase({ url: await harness.databaseUrl('identity'), applicationName: 'test' });
  await identity.sql`insert into company_domains values (${COMPANY}, 'example.com', 'challenge', now())`;
  await identity.sql`insert into group_roles values (${COMPANY}, 'team', 'editor')`;
  await identity.sql`insert into scim_tokens values ('hash', 'sct_1', ${COMPANY}, 'Login', now())`;
  await identity.sql`
    insert into upstream_providers
    values (${COMPANY}, 'Login', 'https://login.example', 'client', 'encrypted', '[]', 'groups', false, now())`;
  await identity.close();
}

/** Publishes a record of the project as a consumer does that cannot store it. */
async function addDeadLetter({ openLog }: AllServices): Promise<void> {
  const log = openLog();
  const headers = {
    project: PROJECT,
    count: '1',
    'dead-letter-reason': 'not stored: 53100',
    'dead-letter-line': '-1',
  };
  await log.publish('events.dead-letter', [
    { partition: 0, key: PROJECT, value: Buffer.from('{}'), headers },
  ]);
  await log.close();
}
