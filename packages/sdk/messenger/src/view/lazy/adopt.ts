import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const sheets = new Map<string, CSSStyleSheet>();

/** Adds the styles of a part that is loaded on demand to the widget of an element. */
export function useStyles(element: RefObject<HTMLElement | null>, styles: string): void {
  useLayoutEffect(() => {
    const root = element.current?.getRootNode();
    if (!(root instanceof ShadowRoot)) return;
    const sheet = sheets.get(styles) ?? new CSSStyleSheet();
    if (!sheets.has(styles)) sheet.replaceSync(styles);
    sheets.set(styles, sheet);
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  }, []);
}
