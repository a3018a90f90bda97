import { postgresServer, startKafka } from '@switchboard/testkit';
import { openKafkaLog, openPostgresLog } from '../index.ts';
import type { CommonOptions, EventLog } from '../types.ts';

/** A log on a server that the test can stop and kill. */
export interface BreakableLog {
  open(options?: CommonOptions): EventLog;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Sends SIGKILL, or the closest equivalent that keeps the server down. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  remove(): Promise<void>;
}

export const breakable: { name: string; start(): Promise<BreakableLog | undefined> }[] = [
  {
    name: 'PostgreSQL',
    async start() {
      const server = await postgresServer(['log']);
      return {
        open: (options) => openPostgresLog({ url: server.url('log'), ...options }),
        freeze: server.freeze,
        thaw: server.thaw,
        kill: server.stop,
        restart: server.start,
        remove: server.remove,
      };
    },
  },
  {
    name: 'Kafka',
    async start() {
      const server = await startKafka();
      if (!server) return undefined;
      return {
        open: (options) => openKafkaLog({ brokers: server.brokers, clientId: 'faults', ...options }),
        freeze: async () => server.pause(),
        thaw: async () => server.resume(),
        kill: server.kill,
        restart: server.restart,
        remove: server.stop,
      };
    },
  },
];
