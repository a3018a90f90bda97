import { eventually, type KafkaServer, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, type Instance, json, startHarness, type TestProject } from '../testing/harness.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

const logs: { name: string; server: KafkaServer | undefined; available: boolean }[] = [
  { name: 'PostgreSQL', server: undefined, available: true },
  { name: 'Kafka', server: kafka, available: kafka !== undefined },
];

describe.each(logs)('state tokens, on $name', ({ server, available }) => {
  describe.skipIf(!available)('two instances with the consumer in a third', () => {
    let harness: Harness;
    let other: Instance;
    let consumer: Instance;
    let project: TestProject;
    beforeAll(async () => {
      const log = server ? { kafkaBrokers: server.brokers } : {};
      harness = await startHarness({ ...log, env: { ROLES: 'http' } });
      other = await harness.startInstance();
      consumer = await harness.startInstance({ ROLES: 'user-state' });
      project = await harness.createProject();
      const on = { enabled: true, rolloutPercentage: 100 };
      const pro = { attribute: 'plan', op: 'eq' as const, value: 'pro' };
      const acme = { attribute: 'group.company.name', op: 'eq' as const, value: 'Acme' };
      await harness.putFlag(project, { key: 'pro', ...on, targeting: [pro] });
      await harness.putFlag(project, { key: 'acme', ...on, targeting: [acme] });
      await harness.putCohort(project, 'pros', { name: 'Pros', match: [pro] });
      // The first record waits for the consumer to join its group.
      await ask('warm-up', await harness.identify(project, 'warm-up', {}));
    });
    afterAll(() => harness?.stop());

    async function ask(person: string, token?: string, url = harness.url) {
      const headers = token === undefined ? {} : { 'X-State-Token': token };
      const answer = await harness.get(`/v1/flags?distinct_id=${person}`, project.key, { url, headers });
      const state = answer.headers.get('X-State');
      return { state, asOf: answer.headers.get('X-State-As-Of'), flags: (await json(answer))['flags'] };
    }

    it('evaluates with the call of the token on every instance', async () => {
      for (let round = 0; round < 20; round++) {
        const person = `person-${round}`;
        const before = new Date(Date.now() - 1000).toISOString();
        const token = await harness.identify(project, person, { plan: 'pro' });
        const answers = await Promise.all([harness.url, other.url].map((url) => ask(person, token, url)));
        for (const { state, asOf, flags } of answers) {
          expect(flags).toMatchObject({ pro: true });
          expect(state).toBeNull();
          expect(asOf).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(String(asOf) >= before).toBe(true);
        }
      }
    });

    it('waits for tokens of identify and group together', async () => {
      const identified = await harness.identify(project, 'ada', { plan: 'pro' });
      const grouped = await harness.group(project, 'ada', { id: 'acme', traits: { name: 'Acme' } });
      const { flags } = await ask('ada', `${identified}, ${grouped}`, other.url);
      expect(flags).toEqual({ pro: true, acme: true });
    });

    it('waits for tokens before it answers memberships', async () => {
      const token = await harness.identify(project, 'grace', { plan: 'pro' });
      const init = { headers: { 'X-State-Token': token } };
      const answer = await harness.get('/v1/flags/memberships?distinct_id=grace', project.key, init);
      expect(answer.headers.get('X-State-As-Of')).not.toBeNull();
      expect(await json(answer)).toEqual({ cohorts: ['pros'] });
    });

    it('ignores an unreadable token', async () => {
      for (const token of ['', 'nonsense', 'i-1', '7', 'x'.repeat(5000)]) {
        expect(await ask('ada', token)).toMatchObject({ state: null, asOf: null, flags: { pro: true } });
      }
    });

    it('answers from known state, with X-State: behind, when a call is not applied in time', async () => {
      expect(await ask('ada', 'i-0-zzzzzzzz')).toMatchObject({ state: 'behind', flags: { pro: true } });
      expect(await ask('ada', 'i-zzz-1')).toMatchObject({ state: 'behind', asOf: null });
      await consumer.stop();
      const token = await harness.identify(project, 'late', { plan: 'pro' });
      expect(await ask('late', token)).toMatchObject({ state: 'behind', flags: { pro: false } });
      consumer = await harness.startInstance({ ROLES: 'user-state' });
      await eventually(async () =>
        expect(await ask('late', token)).toMatchObject({ state: null, flags: { pro: true } }),
      );
    });
  });
});
