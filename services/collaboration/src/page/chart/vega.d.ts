import 'vega';

declare module 'vega' {
  /** How wide texts are taken to be; vega-scenegraph exports it, its types leave it out. */
  export const textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
}
