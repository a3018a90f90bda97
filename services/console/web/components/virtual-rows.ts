import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';

/** How many rows before the end more are read. */
const AHEAD = 20;

interface VirtualRows {
  count: number;
  /** The height of a row. */
  rowPx: number;
  scroll: RefObject<HTMLElement | null>;
  /** Reads more rows, when the end comes near. */
  more: (() => void) | undefined;
}

/** Computes which rows of a list are on screen, so that only those exist. */
export function useVirtualRows({ count, rowPx, scroll, more }: VirtualRows) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= count - AHEAD) more?.();
  }, [last, count, more]);
  return { virtual, items };
}
