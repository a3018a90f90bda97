import type { Logger } from '../telemetry/logger.ts';

const DEBUG_MINUTES = 10;

/**
 * Makes the logger write debug lines after SIGUSR2, until ten minutes after the last signal, so that a process can be
 * inspected without a restart. Calls `passOn` for each signal.
 */
export function debugOnSignal(logger: Logger, passOn: () => void = () => undefined): void {
  const configured = logger.level;
  let timer: NodeJS.Timeout | undefined;

  function fallBack(): void {
    timer = undefined;
    logger.info({ logLevel: configured }, 'log level restored');
    logger.level = configured;
  }

  process.on('SIGUSR2', () => {
    passOn();
    if (timer !== undefined) timer.refresh();
    else if (!logger.isLevelEnabled('debug')) {
      timer = setTimeout(fallBack, DEBUG_MINUTES * 60_000).unref();
      logger.level = 'debug';
    } else return;
    logger.info({ logLevel: 'debug', minutes: DEBUG_MINUTES }, 'log level raised by SIGUSR2');
  });
}
