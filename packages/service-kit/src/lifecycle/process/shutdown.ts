interface ShutdownOptions {
  /** Finishes accepted work and closes every connection. Called once. */
  close(): Promise<void>;
  /** Default: SHUTDOWN_MS. After it the process ends whether or not it has closed. */
  withinMs?: number | undefined;
  log: ShutdownLog;
}

interface ShutdownLog {
  info(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

/** What a process has from SIGTERM until it exits, at the latest. */
export const SHUTDOWN_MS = 15_000;

/**
 * Ends the process in order: on SIGTERM or SIGINT with exit code 0, and with 1 after an exception or a rejected promise
 * that nothing handled, so that what was accepted is not lost with it. Call it before anything else is started. Returns
 * what ends the process in the same way with a given exit code.
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
  // Rejections that nothing handles arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ error, origin }, 'unhandled error, shutting down');
    void shutDown(1);
  });
  return (exitCode) => void shutDown(exitCode);
}

/** Ends a process that cannot run as it is set up. */
export function refuse(service: string, { message }: Error): never {
  process.stderr.write(`${service}: ${message}\n`);
  process.exit(1);
}
