import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instance, json, startWorld, type World } from '../testing/world.ts';

let world: World;
let other: Instance;
beforeAll(async () => {
  world = await startWorld();
  other = await world.startInstance();
});
afterAll(() => world.stop());

const on = { enabled: true, rolloutPercentage: 100 };

async function flagsAt(url: string, key: string): Promise<unknown> {
  return (await json(await world.get('/v1/flags?distinct_id=ada', key, { url })))['flags'];
}

describe('two instances', () => {
  it('both serve a change that one of them stored', async () => {
    const project = await world.createProject();
    expect(await flagsAt(other.url, project.key)).toEqual({});
    await world.putFlag(project, { key: 'a', ...on });
    expect(await flagsAt(world.url, project.key)).toEqual({ a: true });
    await eventually(async () => expect(await flagsAt(other.url, project.key)).toEqual({ a: true }));
    await world.manage('DELETE', `/projects/${project.id}/flags/a`, undefined, other.url);
    await eventually(async () => expect(await flagsAt(world.url, project.key)).toEqual({}));
  });

  it('settle on the last change, however often it changes while it is read', async () => {
    const project = await world.createProject();
    let writing = true;
    const reading = (async () => {
      while (writing) await Promise.all([world.url, other.url].map((url) => flagsAt(url, project.key)));
    })();
    for (let percentage = 0; percentage <= 30; percentage++) {
      const url = percentage % 2 === 0 ? world.url : other.url;
      await world.putFlag(project, { key: 'a', enabled: percentage % 3 === 0, rolloutPercentage: 100 }, url);
    }
    writing = false;
    await reading;
    await eventually(async () => {
      const snapshots = [world.url, other.url].map((url) =>
        world.get('/v1/flags/snapshot', project.key, { url }),
      );
      const [a, b] = await Promise.all((await Promise.all(snapshots)).map(json));
      expect(a).toEqual(b);
      expect(a).toMatchObject({ flags: [{ enabled: true }] });
    });
  });

  it('see a change that was made while their connections were cut', async () => {
    const project = await world.createProject();
    expect(await flagsAt(other.url, project.key)).toEqual({});
    await world.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'flags'`;
    await eventually(() => world.putFlag(project, { key: 'a', ...on }));
    await eventually(async () => expect(await flagsAt(other.url, project.key)).toEqual({ a: true }));
  });
});
