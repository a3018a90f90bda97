/** The APIs of other products that a project can accept. */
export const WIRES = ['segment', 'unleash', 'posthog'] as const;
export type Wire = (typeof WIRES)[number];

/** The wires of which requests are counted: our own API, and those of other products. */
export const USED_WIRES = ['switchboard', ...WIRES] as const;
export type UsedWire = (typeof USED_WIRES)[number];
