import { Replayer } from '@rrweb/replay';
import type { eventWithTime } from '@rrweb/types';
import { BOX_RULES } from './boxes.ts';

const POINTER =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="20" height="20"%3E%3Cpath d="M3 2l14 8-6 1.500-3 6z" fill="%23111" stroke="%23fff" stroke-width="1.500"/%3E%3C/svg%3E';

/**
 * Creates an rrweb player that builds recorded pages in this document. rrweb would build them in a frame, but a
 * document without an origin cannot reach its frames. The policy of this document keeps recorded scripts from running.
 */
export function createReplayer(events: eventWithTime[]): Replayer {
  const frame = document.createElement('div');
  Object.defineProperties(frame, { contentDocument: { value: document }, contentWindow: { value: window } });
  // These would end this script's listeners, and parse recorded text.
  Object.defineProperties(document, {
    open: { value: () => document.replaceChildren() },
    close: { value: () => undefined },
    write: { value: () => undefined },
  });
  const create = document.createElement.bind(document);
  const named: Record<string, HTMLElement> = { iframe: frame };
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string) => named[name] ?? create(name),
  });
  try {
    const replayer = new Replayer(events, {
      // rrweb's name for building a page where scripts could run. Here, the policy of this document keeps them out.
      UNSAFE_replayCanvas: true,
      mouseTail: false,
      showWarning: false,
      triggerFocus: false,
      useVirtualDom: false,
      insertStyleRules: BOX_RULES,
      root: document.body,
    });
    const pointer = replayer.wrapper.querySelector<HTMLElement>('.replayer-mouse');
    if (pointer !== null) {
      pointer.style.cssText = `display: block; position: fixed; z-index: 2147483647; width: 20px; height: 20px; background: url('${POINTER}')`;
      replayer.on('fullsnapshot-rebuilded', () => document.documentElement.append(pointer));
    }
    return replayer;
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}
