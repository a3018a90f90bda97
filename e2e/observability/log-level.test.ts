import { catalogueService } from '@switchboard/service-catalogue';
import { eventually, openHarness } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';

test('a process and its workers log at debug after SIGUSR2', async () => {
  const harness = await openHarness({ services: { catalogue: catalogueService } });
  onTestFinished(() => harness.stop());
  const program = await harness.spawn('catalogue', {
    ready: '/health/ready',
    env: { LOG_LEVEL: 'warn', WORKERS: '2' },
  });
  const linesOf = (level: string) => program.records().filter((line) => line['level'] === level);
  const ask = async () => (await fetch(`${program.url}/v1/plans`)).status;
  expect(await ask()).toBe(200);
  expect(linesOf('debug')).toEqual([]);

  program.signal('SIGUSR2');
  const raised = () => linesOf('info').filter(({ msg }) => msg === 'log level raised by SIGUSR2');
  await eventually(() => expect(raised()).toHaveLength(3));
  expect(await ask()).toBe(200);
  await eventually(() => expect(linesOf('debug')).not.toEqual([]));
});
