import { expect, it } from 'vitest';
import { BOX, FRAME } from './boxes.ts';
import { isObject, noneUnseen } from './messages.ts';
import { createSanitiser } from './sanitise.ts';

type Node = Record<string, unknown> & { id: number };

const EVIL = 'https://evil.example/x';
let id = 100;
const element = (
  tagName: string,
  attributes: object = {},
  childNodes: Node[] = [],
  more: object = {},
): Node => ({
  ...{ type: 2, id: ++id, tagName, attributes, childNodes },
  ...more,
});
const text = (textContent: string, more: object = {}): Node => ({ type: 3, id: ++id, textContent, ...more });
const pageOf = (...children: Node[]): Node => element('html', {}, [element('body', {}, children)]);
const documentOf = (...children: Node[]): Node => ({ type: 0, id: ++id, childNodes: [pageOf(...children)] });

/** Opens a page with these elements. `change` returns what a later change becomes. */
function open(...children: Node[]) {
  const unseen = noneUnseen();
  const sanitiser = createSanitiser({
    images: true,
    unseen,
    texts: { frames: 'Frame', media: 'Video', canvases: 'Drawing' },
  });
  const node = { type: 0, id: 1, childNodes: [pageOf(...children)] };
  const page = sanitiser.event({ type: 2, timestamp: 1, data: { node, initialOffset: {} } });
  const change = (data: object) =>
    Object(sanitiser.event({ type: 3, timestamp: 2, data: { source: 0, ...data } })).data;
  /** Records the document of a frame, and returns the elements that are added. */
  const attach = (frame: Node, document: Node): Node[] =>
    change({ adds: [{ parentId: frame.id, nextId: null, node: document }], isAttachIframe: true }).adds.map(
      ({ node: added, parentId }: { node: Node; parentId: number }) => ({ ...added, parentId }),
    );
  return { unseen, page, sanitiser, change, attach };
}

const tagsOf = (nodes: Node[]) => nodes.map(({ tagName }) => tagName).filter((tag) => tag !== undefined);

it('shows the document of a frame of the same origin in the shadow tree of an element', () => {
  const frame = element('iframe', { class: 'wide', width: '640' });
  const { unseen, page, change } = open(frame);
  expect(JSON.stringify(page)).not.toContain('iframe');
  const document = documentOf(element('h1', { id: 'inner' }, [text('Terms')]));
  const shown = change({ adds: [{ parentId: frame.id, nextId: null, node: document }] });
  const [style, rules, html, body, heading, words] = shown.adds;
  expect(style).toMatchObject({ parentId: frame.id, node: { tagName: 'style', isShadow: true } });
  expect(rules.node.textContent).toContain(`[${BOX}]`);
  expect(html).toMatchObject({ parentId: frame.id, node: { tagName: 'html', isShadow: true } });
  expect(body.parentId).toBe(html.node.id);
  expect(heading).toMatchObject({ parentId: body.node.id, node: { tagName: 'h1', childNodes: [] } });
  expect(words).toMatchObject({ parentId: heading.node.id, node: { textContent: 'Terms' } });
  // rrweb would look the document up, which does not exist.
  expect(JSON.stringify(shown.adds)).not.toContain('rootId');
  expect(shown.attributes).toEqual([{ id: frame.id, attributes: { [BOX]: null, [FRAME]: 'true' } }]);
  expect(unseen.frames).toBe(0);
});

it.each([
  ['of another origin', element('iframe', { rr_src: EVIL })],
  ['that is an object', element('object', { data: EVIL })],
  ['that is a frame of a frameset', element('frame', { src: EVIL })],
  ['that is a paragraph', element('p')],
])('adds no document to a frame %s', (_, frame) => {
  const { attach } = open(frame);
  expect(attach(frame, documentOf(element('b')))).toEqual([]);
});

it('leaves out what could run or load in a frame', () => {
  const frame = element('iframe', {
    src: 'javascript:run()',
    srcdoc: '<script>run()</script>',
    onload: 'run()',
    name: 'top',
    sandbox: 'allow-scripts',
  });
  const { page, attach } = open(frame);
  for (const part of ['javascript', 'script', 'onload', 'allow-scripts', '"name"'])
    expect(JSON.stringify(page)).not.toContain(part);
  const nodes = attach(
    frame,
    documentOf(
      element('script', { src: EVIL }, [text('run()')]),
      element('base', { href: EVIL }),
      element('meta', { 'http-equiv': 'refresh', content: `0;url=${EVIL}` }),
      element('a', { href: 'javascript:run()', onclick: 'run()' }),
      element('form', { action: 'javascript:run()' }),
      element('img', { src: 'javascript:run()', onerror: 'run()' }),
      element('iframe', { srcdoc: '<script>run()</script>' }),
      element('iframe', { src: 'data:text/html,<script>run()</script>' }),
      element('iframe', { src: 'javascript:run()' }),
      element('object', { data: 'data:text/html,<script>run()</script>' }),
      element('embed', { src: EVIL }),
      element('video', { src: EVIL, poster: EVIL }),
      element('template', {}, [element('script')]),
    ),
  );
  const tags = tagsOf(nodes);
  for (const tag of ['script', 'base', 'meta', 'iframe', 'object', 'embed', 'video', 'template'])
    expect(tags).not.toContain(tag);
  expect(JSON.stringify(nodes)).not.toMatch(/run\(\)|evil|text\/html|refresh/);
});

it('shows frames within frames up to five deep, and a box for each frame below', () => {
  const first = element('iframe');
  const { unseen, attach } = open(first);
  let frame = first;
  const shown: boolean[] = [];
  for (let depth = 1; depth <= 10; depth++) {
    const inner = element('iframe', { class: `depth-${depth + 1}` });
    const nodes = attach(frame, documentOf(element('p', {}, [text(`depth ${depth}`)]), inner));
    shown.push(nodes.length > 0);
    frame = inner;
  }
  expect(shown).toEqual([true, true, true, true, true, false, false, false, false, false]);
  // The sixth is the only one below that was built.
  expect(unseen.frames).toBe(1);
});

it('shows at most 100 frames of a page', () => {
  const all = Array.from({ length: 102 }, () => element('iframe'));
  const { attach } = open(...all);
  const shown = all.filter((frame) => attach(frame, documentOf()).length > 0);
  expect(shown.length).toBe(100);
});

it('does not follow a document that is its own frame, or more nodes than a page may have', () => {
  const frame = element('iframe');
  const { unseen, attach } = open(frame);
  const own: Node = { type: 0, id: frame.id, childNodes: [element('html', {}, [frame])] };
  expect(tagsOf(attach(frame, own))).toEqual(['style', 'html', 'div']);
  let deep: Node = element('b');
  for (let depth = 0; depth < 2_000; depth++) deep = element('div', {}, [deep]);
  const other = open(frame);
  expect(other.attach(frame, documentOf(deep)).length).toBeLessThan(600);
  expect(other.unseen.parts).toBe(1);
  expect(unseen.parts).toBe(0);
});

it('replaces the document of a frame that shows another page', () => {
  const frame = element('iframe');
  const { unseen, attach, change } = open(frame);
  const before = attach(frame, documentOf(element('b')));
  const tops = before.filter((node) => node['isShadow'] === true).map((node) => node.id);
  expect(tops.length).toBe(2);
  const after = change({ adds: [{ parentId: frame.id, nextId: null, node: documentOf(element('i')) }] });
  expect(after.removes).toEqual(tops.map((top) => ({ id: top, parentId: frame.id, isShadow: true })));
  expect(tagsOf(after.adds.map(({ node }: { node: Node }) => node))).toEqual(['style', 'html', 'body', 'i']);
  expect(unseen.frames).toBe(0);
});

it('makes changes in a frame safe, and applies those of its document to the element that shows it', () => {
  const frame = element('iframe');
  const { attach, change, sanitiser } = open(frame);
  const [paragraph, document] = [element('p'), documentOf()];
  const html = Object(document['childNodes'])[0];
  html.childNodes[0].childNodes.push(paragraph);
  attach(frame, document);
  const changed = change({
    adds: [
      { parentId: paragraph.id, nextId: null, node: element('script', { src: EVIL }) },
      { parentId: document.id, nextId: null, node: element('html') },
    ],
    removes: [{ parentId: document.id, id: html.id }],
    attributes: [{ id: paragraph.id, attributes: { onclick: 'run()', class: 'kept' } }],
  });
  expect(changed.adds).toMatchObject([
    { parentId: paragraph.id, node: { tagName: 'noscript', attributes: {} } },
    { parentId: frame.id, node: { tagName: 'html', isShadow: true } },
  ]);
  expect(changed.removes).toEqual([{ id: html.id, parentId: frame.id, isShadow: true }]);
  expect(changed.attributes).toEqual([{ id: paragraph.id, attributes: { class: 'kept' } }]);
  const scrolled = { source: 3, id: document.id, x: 0, y: 40 };
  expect(change(scrolled)).toEqual({ source: 3, id: frame.id, x: 0, y: 40 });
  // The places of the pointer are those of the page in the frame.
  const moved = { source: 1, positions: [{ x: 1, y: 1, id: paragraph.id, timeOffset: 0 }] };
  expect(sanitiser.event({ type: 3, timestamp: 3, data: moved })).toBeUndefined();
  const clicked = { source: 2, type: 2, id: paragraph.id, x: 1, y: 1 };
  expect(sanitiser.event({ type: 3, timestamp: 3, data: clicked })).toBeUndefined();
});

it('applies the rules of a frame to its html element, and those of the page to the page', () => {
  const rules = () => element('style', {}, [text(':root{--ink:red}', { isStyle: true })]);
  const frame = element('iframe');
  const { page, attach } = open(rules(), frame);
  expect(JSON.stringify(page)).toContain(':root{--ink:red}');
  const shown = JSON.stringify(attach(frame, documentOf(rules())));
  expect(shown).toContain('html{--ink:red}');
  expect(shown).not.toContain(':root');
});

it('keeps no frame of the page before', () => {
  const frame = element('iframe');
  const { attach, sanitiser } = open(frame);
  attach(frame, documentOf());
  const node = { type: 0, id: 1, childNodes: [pageOf(element('p'))] };
  const next = sanitiser.event({ type: 2, timestamp: 3, data: { node, initialOffset: {} } });
  expect(isObject(next)).toBe(true);
  expect(attach(frame, documentOf())).toEqual([]);
});
