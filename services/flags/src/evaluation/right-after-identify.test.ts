import { eventually, type KafkaServer, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instance, json, startWorld, type TestProject, type World } from '../testing/world.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

const logs: { name: string; server: KafkaServer | undefined; available: boolean }[] = [
  { name: 'PostgreSQL', server: undefined, available: true },
  { name: 'Kafka', server: kafka, available: kafka !== undefined },
];

describe.each(logs)('right after identify, on $name', ({ server, available }) => {
  describe.skipIf(!available)('with two instances and the consumer in a third', () => {
    let world: World;
    let other: Instance;
    let consumer: Instance;
    let project: TestProject;
    beforeAll(async () => {
      const log = server ? { kafkaBrokers: server.brokers } : {};
      world = await startWorld({ ...log, env: { ROLES: 'http' } });
      other = await world.startInstance();
      consumer = await world.startInstance({ ROLES: 'user-state' });
      project = await world.createProject();
      const on = { enabled: true, rolloutPercentage: 100 };
      const pro = { attribute: 'plan', op: 'eq' as const, value: 'pro' };
      const acme = { attribute: 'group.company.name', op: 'eq' as const, value: 'Acme' };
      await world.putFlag(project, { key: 'pro', ...on, targeting: [pro] });
      await world.putFlag(project, { key: 'acme', ...on, targeting: [acme] });
      await world.putCohort(project, 'pros', { name: 'Pros', match: [pro] });
      // The first record waits until the consumer has joined its group.
      await ask('warm-up', await world.identify(project, 'warm-up', {}));
    });
    afterAll(() => world?.stop());

    async function ask(person: string, token?: string, url = world.url) {
      const headers = token === undefined ? {} : { 'X-State-Token': token };
      const answer = await world.get(`/v1/flags?distinct_id=${person}`, project.key, { url, headers });
      const state = answer.headers.get('X-State');
      return { state, asOf: answer.headers.get('X-State-As-Of'), flags: (await json(answer))['flags'] };
    }

    it('each instance evaluates with the call its token stands for, every time', async () => {
      for (let round = 0; round < 20; round++) {
        const person = `person-${round}`;
        const before = new Date(Date.now() - 1000).toISOString();
        const token = await world.identify(project, person, { plan: 'pro' });
        const answers = await Promise.all([world.url, other.url].map((url) => ask(person, token, url)));
        for (const { state, asOf, flags } of answers) {
          expect(flags).toMatchObject({ pro: true });
          expect(state).toBeNull();
          expect(asOf).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(String(asOf) >= before).toBe(true);
        }
      }
    });

    it('the tokens of identify and group are waited for together', async () => {
      const identified = await world.identify(project, 'ada', { plan: 'pro' });
      const grouped = await world.group(project, 'ada', { id: 'acme', traits: { name: 'Acme' } });
      const { flags } = await ask('ada', `${identified}, ${grouped}`, other.url);
      expect(flags).toEqual({ pro: true, acme: true });
    });

    it('memberships wait too', async () => {
      const token = await world.identify(project, 'grace', { plan: 'pro' });
      const init = { headers: { 'X-State-Token': token } };
      const answer = await world.get('/v1/flags/memberships?distinct_id=grace', project.key, init);
      expect(answer.headers.get('X-State-As-Of')).not.toBeNull();
      expect(await json(answer)).toEqual({ cohorts: ['pros'] });
    });

    it('a token that cannot be read is as none', async () => {
      for (const token of ['', 'nonsense', 'i-1', '7', 'x'.repeat(5000)]) {
        expect(await ask('ada', token)).toMatchObject({ state: null, asOf: null, flags: { pro: true } });
      }
    });

    it('what is not applied in time is answered as known, and said to be behind', async () => {
      expect(await ask('ada', 'i-0-zzzzzzzz')).toMatchObject({ state: 'behind', flags: { pro: true } });
      expect(await ask('ada', 'i-zzz-1')).toMatchObject({ state: 'behind', asOf: null });
      await consumer.stop();
      const token = await world.identify(project, 'late', { plan: 'pro' });
      expect(await ask('late', token)).toMatchObject({ state: 'behind', flags: { pro: false } });
      consumer = await world.startInstance({ ROLES: 'user-state' });
      await eventually(async () =>
        expect(await ask('late', token)).toMatchObject({ state: null, flags: { pro: true } }),
      );
    });
  });
});
