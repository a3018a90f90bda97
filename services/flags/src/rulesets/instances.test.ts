import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Instance, json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let other: Instance;
beforeAll(async () => {
  other = await harness.startInstance();
});

const on = { enabled: true, rolloutPercentage: 100 };

async function flagsAt(url: string, key: string): Promise<unknown> {
  return (await json(await harness.get('/v1/flags?distinct_id=ada', key, { url })))['flags'];
}

describe('two instances', () => {
  it('serves a change on both instances when one of them makes it', async () => {
    const project = await harness.createProject();
    expect(await flagsAt(other.url, project.key)).toEqual({});
    await harness.putFlag(project, { key: 'a', ...on });
    expect(await flagsAt(harness.url, project.key)).toEqual({ a: true });
    await eventually(async () => expect(await flagsAt(other.url, project.key)).toEqual({ a: true }));
    await harness.manage('DELETE', `/projects/${project.id}/flags/a`, undefined, other.url);
    await eventually(async () => expect(await flagsAt(harness.url, project.key)).toEqual({}));
  });

  it('serves a change of a version that writes no document, and the document after the next change', async () => {
    const project = await harness.createProject();
    const { sql } = harness;
    const read = async () => {
      const [row] = await sql`select documented_at = changed_at as is_current, document from rulesets
        where project_id = ${project.id}`;
      return { isCurrent: row?.['is_current'], flags: JSON.parse(row?.['document']).flags };
    };
    await harness.putFlag(project, { key: 'b', ...on });
    await harness.putFlag(project, { key: 'a', ...on });
    expect(await read()).toMatchObject({ isCurrent: true, flags: [{ key: 'a' }, { key: 'b' }] });
    await sql`update flags set entry = '{"key":"a","enabled":false}' where project_id = ${project.id} and key = 'a'`;
    await sql`update rulesets set changed_at = changed_at + interval '1 s' where project_id = ${project.id}`;
    await sql`select pg_notify('ruleset_changed', ${project.id})`;
    await eventually(async () =>
      expect(await flagsAt(other.url, project.key)).toEqual({ a: false, b: true }),
    );
    expect(await read()).toMatchObject({ isCurrent: false });
    await harness.putFlag(project, { key: 'b', enabled: false, rolloutPercentage: 100 });
    expect(await read()).toMatchObject({ isCurrent: true, flags: [{ enabled: false }, { enabled: false }] });
  });

  it('converges on the last change under concurrent reads', async () => {
    const project = await harness.createProject();
    let writing = true;
    const reading = (async () => {
      while (writing) await Promise.all([harness.url, other.url].map((url) => flagsAt(url, project.key)));
    })();
    for (let percentage = 0; percentage <= 30; percentage++) {
      const url = percentage % 2 === 0 ? harness.url : other.url;
      await harness.putFlag(
        project,
        { key: 'a', enabled: percentage % 3 === 0, rolloutPercentage: 100 },
        url,
      );
    }
    writing = false;
    await reading;
    await eventually(async () => {
      const snapshots = [harness.url, other.url].map((url) =>
        harness.get('/v1/flags/snapshot', project.key, { url }),
      );
      const [a, b] = await Promise.all((await Promise.all(snapshots)).map(json));
      expect(a).toEqual(b);
      expect(a).toMatchObject({ flags: [{ enabled: true }] });
    });
  });

  it('shows a change made while the connections of an instance were cut', async () => {
    const project = await harness.createProject();
    expect(await flagsAt(other.url, project.key)).toEqual({});
    await harness.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'flags'`;
    await eventually(() => harness.putFlag(project, { key: 'a', ...on }));
    await eventually(async () => expect(await flagsAt(other.url, project.key)).toEqual({ a: true }));
  });
});
