interface ShutdownOptions {
  /** Finishes accepted work and closes every connection. Called once. */
  close(): Promise<void>;
  /** The time after which the process exits even if it has not closed. Default: SHUTDOWN_MS. */
  withinMs?: number | undefined;
  log: ShutdownLog;
}

interface ShutdownLog {
  info(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** The maximum time from SIGTERM until a process exits. */
export const SHUTDOWN_MS = 15_000;

/**
 * Shuts the process down in order: on SIGTERM or SIGINT with exit code 0, and with 1 after an unhandled exception or
 * rejection, so that accepted work is not lost. Call it before anything else is started. Returns a function that
 * shuts the process down in the same way with a given exit code.
 */
export function shutDownInOrder({
  close,
  withinMs = SHUTDOWN_MS,
  log,
}: ShutdownOptions): (exitCode: number) => void {
  let isShuttingDown = false;

  async function shutDown(exitCode: number): Promise<void> {
    if (isShuttingDown) return;
    isShuttingDown = true;
    setTimeout(() => {
      log.fatal({}, 'shutdown timed out');
      process.exit(1);
    }, withinMs).unref();
    try {
      await close();
    } catch (error) {
      log.fatal({ error }, 'shutdown failed');
      process.exit(1);
    }
    log.info({}, 'shut down');
    process.exit(exitCode);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!isShuttingDown) log.info({ signal }, 'shutting down');
      void shutDown(0);
    });
  }
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ error, origin }, 'unhandled error, shutting down');
    void shutDown(1);
  });
  return (exitCode) => void shutDown(exitCode);
}

/** Exits a process that cannot run as configured. */
export function refuse(service: string, { message }: Error): never {
  process.stderr.write(`${service}: ${message}\n`);
  process.exit(1);
}
