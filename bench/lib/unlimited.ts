/** Settings of the messenger service that keep every bench below its limits. */
export const UNLIMITED_MESSENGER = { RATE_LIMITS_MULTIPLIER: '10000', SOCKETS_MAX: '1000000' };
