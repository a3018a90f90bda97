import { eventually, type Program } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { getOnce, type Self, startProgram, workersOf } from '../testing/fixture-program.ts';

/** Each test starts several processes, one after another. */
const TIMEOUT_MS = 240_000;

const within = { withinMs: TIMEOUT_MS };
const logged = (program: Program, msg: string) => program.records().filter((line) => line['msg'] === msg);
const REPLACED = 'worker ended, starting another';

async function metric(program: Program, name: string): Promise<number> {
  const { text } = await getOnce(program, '/metrics');
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Resolves when `count` requests are in flight besides its own. */
const inFlight = (program: Program, count: number) =>
  eventually(async () =>
    expect(await metric(program, 'switchboard_http_requests_in_flight')).toBeGreaterThan(count),
  );

function expectEnded(pids: Iterable<number>): void {
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}

describe('two workers', { timeout: TIMEOUT_MS }, () => {
  let program: Program;
  beforeAll(async () => {
    const env = { WORKERS: '2', MAX_BYTES_IN_FLIGHT: '10000000' };
    program = await startProgram(env, ['--max-semi-space-size=16', '--max-old-space-size=400']);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await program?.stop();
  });

  async function worker(instance: 'flags' | 'flags-2'): Promise<Self> {
    const found = (await workersOf(program)).get(instance);
    if (found === undefined) throw new Error(`${instance} does not answer`);
    return found;
  }

  /** Resolves when another process has replaced this one. */
  const replaced = ({ instance, pid }: Self) =>
    eventually(async () => {
      const now = (await workersOf(program)).get(instance)?.pid;
      expect([undefined, pid]).not.toContain(now);
    }, within);

  it('two workers share the port, the heap and the bytes in flight, and have their own names and logs', async () => {
    const workers = await workersOf(program);
    expect([...workers.keys()].sort()).toEqual(['flags', 'flags-2']);
    for (const { pid, heapBytes, budgetBytes } of workers.values()) {
      expect(pid).not.toBe(program.pid);
      expect(Math.round(heapBytes / 1_048_576) - 48).toBeOneOf([199, 200]);
      expect(budgetBytes).toBe(5_000_000);
    }
    expect(logged(program, 'ready').map(({ worker: number }) => number)).toEqual([1, 2]);
    // The second worker begins after the first has migrated.
    const order = program.records().map(({ msg, worker: number }) => `${msg} ${number}`);
    expect(order.indexOf('ready 1')).toBeLessThan(order.indexOf('migrated 2'));
  });

  it('the supervisor spreads few connections evenly over two workers', async () => {
    const answers: Self[] = [];
    for (let i = 0; i < 8; i++) answers.push(JSON.parse((await getOnce(program, '/self')).text));
    const counts = Map.groupBy(answers, ({ instance }) => instance);
    expect([...counts.values()].map(({ length }) => length)).toEqual([4, 4]);
  });

  it('two workers consume each record once', async () => {
    expect((await worker('flags')).roles).toEqual(['http', 'consumer']);
    expect((await worker('flags-2')).roles).toEqual(['http']);
  });

  it('two workers enforce a limit together without Redis', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => getOnce(program, '/limited')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  });

  it('killed workers are replaced, and every request succeeds when it is repeated', async () => {
    const done = new AbortController();
    const statuses = new Set<number>();
    const send = async (path: string) => {
      const { status } = await getOnce(program, path).catch(() => getOnce(program, path));
      statuses.add(status);
    };
    const load = async () => {
      while (!done.signal.aborted) {
        await send('/self');
        await send('/health/serving');
      }
    };
    const loads = [load(), load()];
    for (const instance of ['flags', 'flags-2'] as const) {
      const self = await worker(instance);
      process.kill(self.pid, 'SIGKILL');
      await replaced(self);
    }
    done.abort();
    await Promise.all(loads);
    expect([...statuses]).toEqual([200]);
    expect(logged(program, REPLACED)).toMatchObject([
      { worker: 1, signal: 'SIGKILL' },
      { worker: 2, signal: 'SIGKILL' },
    ]);
  });

  it('two workers count together, and the sum never falls', async () => {
    const before = await metric(program, 'switchboard_pings_total');
    const cpu = await metric(program, 'process_cpu_seconds_total');
    const self = await worker('flags-2');
    expect(await metric(program, 'switchboard_pings_total')).toBe(before + 10);
    process.kill(self.pid, 'SIGKILL');
    await eventually(() => expect(logged(program, REPLACED)).toHaveLength(3), within);
    expect(await metric(program, 'switchboard_pings_total')).toBe(before + 10);
    await replaced(self);
    expect(await metric(program, 'switchboard_pings_total')).toBeGreaterThan(before + 10);
    expect(await metric(program, 'process_cpu_seconds_total')).toBeGreaterThan(cpu);
  });

  it('a killed worker leaves no connection open that it was given and did not accept', async () => {
    const self = await worker('flags-2');
    process.kill(self.pid, 'SIGSTOP');
    const asked = Array.from({ length: 4 }, () => getOnce(program, '/self'));
    expect(JSON.parse((await Promise.race(asked)).text).instance).toBe('flags');
    process.kill(self.pid, 'SIGKILL');
    const answers = await Promise.allSettled(asked);
    const failed = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
    expect(failed).toEqual(['ECONNRESET']);
    await replaced(self);
  });

  it('two workers are ready together, whichever is asked', async () => {
    await getOnce(program, '/break');
    for (let i = 0; i < 4; i++) {
      const { status, text } = await getOnce(program, '/health/ready');
      expect([status, JSON.parse(text).problems]).toEqual([503, { fixture: 'unavailable' }]);
      expect((await getOnce(program, '/health/serving')).status).toBe(200);
    }
    expect(await metric(program, 'switchboard_broken')).toBe(1);
  });

  it('two workers finish their requests in flight on SIGTERM, and the process ends with 0', async () => {
    const pids = [...(await workersOf(program)).values()].map(({ pid }) => pid);
    const underWay = Array.from({ length: 4 }, () => getOnce(program, '/slow'));
    await inFlight(program, 4);
    program.signal('SIGTERM');
    expect((await Promise.all(underWay)).map(({ text }) => text)).toEqual(Array(4).fill('answered'));
    expect(await program.exited).toBe(0);
    expect(logged(program, 'flushed').map(({ worker: number }) => number)).toHaveLength(2);
    expectEnded(pids);
  });
});

describe('a worker', { timeout: TIMEOUT_MS }, () => {
  async function start(env: Record<string, string> = {}): Promise<Program> {
    const program = await startProgram({ WORKERS: '2', ...env });
    onTestFinished(async () => void (await program.stop()));
    return program;
  }

  it('a worker that hangs is killed and replaced, and one with an unhandled error is replaced after it finishes its requests', async () => {
    const program = await start();
    await expect(getOnce(program, '/hang')).rejects.toThrow();
    await eventually(async () => expect((await workersOf(program)).size).toBe(2), within);
    expect(logged(program, 'worker hangs, killing it')).toHaveLength(1);
    expect(logged(program, REPLACED)).toMatchObject([{ signal: 'SIGKILL' }]);

    const pid = (await workersOf(program)).get('flags-2')?.pid ?? 0;
    const underWay = Array.from({ length: 2 }, () => getOnce(program, '/slow'));
    await inFlight(program, 2);
    process.kill(pid, 'SIGHUP');
    expect((await Promise.all(underWay)).map(({ text }) => text)).toEqual(['answered', 'answered']);
    await eventually(() => expect(logged(program, REPLACED)).toHaveLength(2), within);
    expect(logged(program, REPLACED)[1]).toMatchObject({ worker: 2, code: 1 });
  });

  it('a worker that keeps ending ends the process in order', async () => {
    const program = await startProgram({ WORKERS: '2', FAULT: 'ends-soon' }, [], /all workers ready/);
    expect(await program.exited).toBe(1);
    expect(logged(program, REPLACED)).toHaveLength(3);
    expect(logged(program, 'worker keeps ending, shutting down')).toMatchObject([{ worker: 2, code: 7 }]);
    expect(logged(program, 'flushed').map(({ worker: number }) => number)).toEqual([1]);
  });

  it('a worker that cannot start ends the process, which reports the reason once', async () => {
    await expect(start({ FAULT: 'does-not-start' })).rejects.toThrow('cannot start');
    const other = await start({ ROLES: 'consumer' });
    const env = { WORKERS: '2', PORT: String(other.port) };
    const refused = await startProgram(env, [], /all workers ready/).catch((error: Error) => error);
    expect(String(refused).match(/is in use/g)).toHaveLength(1);
  });

  it('the worker is the process itself where no role serves requests', async () => {
    const program = await start({ ROLES: 'consumer' });
    expect([...(await workersOf(program)).values()]).toMatchObject([{ pid: program.pid, instance: 'flags' }]);
  });

  it('a worker ends with its supervisor', async () => {
    const program = await start();
    const pids = [...(await workersOf(program)).values()].map(({ pid }) => pid);
    await program.kill();
    await eventually(() => expectEnded(pids), within);
  });
});
