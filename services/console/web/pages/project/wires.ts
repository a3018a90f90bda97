/** The products that a project can accept SDKs of, with their names. */
export const WIRES = { segment: 'Segment, RudderStack', unleash: 'Unleash', posthog: 'PostHog' } as const;
