/** The APIs of other products that a project can accept. */
export const WIRES = ['segment', 'unleash', 'posthog'] as const;
export type Wire = (typeof WIRES)[number];
