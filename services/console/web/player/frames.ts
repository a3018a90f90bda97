import type { Fields } from './values.ts';

const MAX_FRAMES = 100;
/** Frames in more frames than this stay boxes. */
const MAX_FRAME_DEPTH = 5;
/** The ids of nodes that a recording does not have begin here. */
const FIRST_OWN_ID = 2 ** 48;

/** A frame with a recorded document. An element with a shadow tree takes its place. */
export interface Frame {
  /** The id of the element. */
  id: number;
  depth: number;
  /** The id of the document, once it is recorded. */
  documentId: number | undefined;
  /** The ids of the nodes at the top of the shadow tree. */
  tops: readonly number[];
}

/** Keeps which frames of a recorded page can show their documents, and which nodes are in them. */
export function createFrames() {
  const frames = new Map<number, Frame>();
  const byDocument = new Map<number, Frame>();
  const byNode = new Map<number, Frame>();
  let ownIds = FIRST_OWN_ID;
  return {
    clear() {
      for (const map of [frames, byDocument, byNode]) map.clear();
    },
    /** Notes a frame of the same origin in `around`, unless it is too deep or there are too many. */
    add(id: number, around: Frame | undefined): void {
      const depth = (around?.depth ?? 0) + 1;
      if (depth <= MAX_FRAME_DEPTH && frames.size < MAX_FRAMES)
        frames.set(id, { id, depth, documentId: undefined, tops: [] });
    },
    get: (id: number) => frames.get(id),
    /** Returns the frame that contains a node, or that has the node as its document. */
    around: (id: number) => byNode.get(id) ?? byDocument.get(id),
    keep(id: number, frame: Frame) {
      byNode.set(id, frame);
    },
    /** Gives a frame another document. */
    open(frame: Frame, documentId: number, tops: readonly number[]): void {
      if (frame.documentId !== undefined) byDocument.delete(frame.documentId);
      byDocument.set(documentId, Object.assign(frame, { documentId, tops }));
    },
    /** Returns the element that shows a document, for the id of the document; for any other, the id itself. */
    shownBy: (id: unknown) => (typeof id === 'number' ? (byDocument.get(id)?.id ?? id) : id),
    isDocument: (id: number) => byDocument.has(id),
    ownId: () => ++ownIds,
  };
}

/** Returns the additions of a tree, because rrweb builds an added node without its children. */
export function flattened(parentId: number, node: Fields): Fields[] {
  const additions: Fields[] = [];
  const waiting: [number, Fields][] = [[parentId, node]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [parent, { childNodes, ...rest }] = next;
    const children = Array.isArray(childNodes) ? childNodes : [];
    additions.push({
      parentId: parent,
      nextId: null,
      previousId: null,
      node: { ...rest, ...(childNodes === undefined ? {} : { childNodes: [] }) },
    });
    for (const child of children.toReversed()) waiting.push([Number(rest['id']), child]);
  }
  return additions;
}
